// SPDX-License-Identifier: Apache-2.0
#include "present/mcp/tool.h"

#include "base/utf8.h"
#include "present/json/answers.h"
#include "present/mcp/arguments.h"
#include "present/mcp/tools/view_arguments.h"
#include "verbs/view/detail.h"

namespace atys::present::mcp {

namespace {

Json text_block(std::string text) { return {{"type", "text"}, {"text", std::move(text)}}; }

// What an answer has at its root: every model reads the list of tools, and none reads rows as JSON. `atys schema` has all of
// it. A verb's schema allows an error in place of the answer; a tool says errors in another way, and clients of the legacy
// era want an object at the root.
Json output_schema(const std::string& verb) {
  auto text = json::schema(verb);
  if (!text.ok()) return {};
  auto whole = parse_json(*text);
  if (!whole.ok()) return {};
  const Json schema = whole->contains("anyOf") ? (*whole)["anyOf"].front() : *whole;
  Json shown = {{"type", "object"}, {"properties", Json::object()}};
  const Json properties = schema.value("properties", Json::object());
  for (const auto& [name, ignored] : properties.items()) shown["properties"][name] = Json::object();
  return shown;
}

// Bounds are told to who passes them: that costs one call, and telling them to all costs tokens in every session.
Json without_bounds(Json schema) {
  for (const char* bound : {"minLength", "maxLength", "minItems", "maxItems", "minimum", "maximum"}) schema.erase(bound);
  for (const char* inner : {"properties", "items"}) {
    if (!schema.contains(inner)) continue;
    if (std::string_view(inner) == "items") {
      schema[inner] = without_bounds(schema[inner]);
    } else {
      for (Json& property : schema[inner]) property = without_bounds(property);
    }
  }
  return schema;
}

// Part of what went wrong may be what a controller said, however long that is.
std::string bounded(const std::string& text) {
  constexpr size_t kMostBytes = 2000;
  return verbs::shorten_middle(printable(text.substr(0, 4 * kMostBytes)), kMostBytes);
}

Json failed(const Error& error) {
  std::string text = bounded(error.message);
  if (!error.hint.empty()) text += "\n" + bounded(error.hint);
  return {{"content", Json::array({text_block(std::move(text))})}, {"isError", true}};
}

// Hints that a client assumes where nothing is said are not said. What only reads destroys nothing and may be repeated.
Json annotations(const ToolHints& hints) {
  if (hints.only_reads) return {{"readOnlyHint", true}, {"openWorldHint", false}};
  return {{"readOnlyHint", false}, {"destructiveHint", hints.runs_commands}, {"openWorldHint", hints.runs_commands}};
}

}  // namespace

Json input_schema(const ToolDescription& tool) {
  Json schema = {{"type", "object"}, {"properties", tool.properties}, {"additionalProperties", false}};
  if (tool.properties.empty()) schema["properties"] = Json::object();
  if (!tool.required.empty()) schema["required"] = tool.required;
  return schema;
}

Json to_json(const ToolDescription& tool) {
  return {{"name", tool.name},
          {"title", tool.title},
          {"description", tool.text},
          {"inputSchema", without_bounds(input_schema(tool))},
          {"outputSchema", output_schema(tool.verb)},
          {"annotations", annotations(tool.hints)}};
}

Json call_tool(const Tool& tool, const Json& arguments, const ToolContext& context) {
  const ToolDescription description = tool.describe();
  const Json taken = with_lists(description.properties, arguments);
  if (const auto checked = check_arguments(input_schema(description), taken); !checked.ok()) return failed(checked.error());
  const auto answer = tool.call(taken, context);
  if (!answer.ok()) return failed(answer.error());
  Json content = Json::array({text_block(answer->text)});
  for (const std::string& id : answer->made)
    content.push_back({{"type", "resource_link"},
                       {"uri", "profile://" + id},
                       {"name", "profile " + id.substr(0, 12)},
                       {"mimeType", "text/plain"}});
  Json result = {{"content", std::move(content)}, {"isError", false}};
  if (auto structured = parse_json(answer->json); structured.ok()) result["structuredContent"] = structured.take();
  return result;
}

}  // namespace atys::present::mcp
