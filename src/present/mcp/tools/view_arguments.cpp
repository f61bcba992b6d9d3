// SPDX-License-Identifier: Apache-2.0
#include "present/mcp/tools/view_arguments.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <map>
#include <optional>
#include <set>

#include "reduce/pattern.h"

namespace atys::present::mcp {

namespace {

constexpr size_t kShortestId = 6;
constexpr size_t kLongestId = 32;

// The words of a command that `verbs::quote_for_shell` wrote.
std::vector<std::string> words_of(const std::string& command) {
  std::vector<std::string> words;
  std::string word;
  bool is_quoted = false;
  bool has_word = false;
  for (size_t i = 0; i < command.size(); ++i) {
    const char c = command[i];
    if (c == '\'') {
      is_quoted = !is_quoted;
      has_word = true;
    } else if (c == '\\' && !is_quoted && i + 1 < command.size()) {
      word += command[++i];
    } else if (c == ' ' && !is_quoted) {
      if (has_word) words.push_back(word);
      word.clear();
      has_word = false;
    } else {
      word += c;
      has_word = true;
    }
  }
  if (has_word) words.push_back(word);
  return words;
}

// Which arguments the words without a dash are, by verb.
const std::map<std::string, std::vector<std::string>>& positions() {
  static const std::map<std::string, std::vector<std::string>> kPositions = {
      {"summary", {"profile"}}, {"diff", {"base", "new"}}, {"link", {"profile"}}};
  return kPositions;
}

// Options of the command line that tools have too, with underscores.
bool is_argument(const std::string& name) {
  static const std::set<std::string> kNames = {"form",  "by",    "top",  "focus", "ignore", "value",    "max_tokens",
                                               "total", "trace", "span", "label", "behind", "group_by", "map"};
  return kNames.contains(name);
}

std::optional<std::string> as_call(const std::string& command) {
  const std::vector<std::string> words = words_of(command);
  if (words.size() < 2 || words[0] != "atys" || !positions().contains(words[1])) return std::nullopt;
  const std::vector<std::string>& names = positions().at(words[1]);
  Json arguments = Json::object();
  size_t position = 0;
  for (size_t i = 2; i < words.size(); ++i) {
    if (!words[i].starts_with("--")) {
      if (position == names.size()) return std::nullopt;
      arguments[names[position++]] = words[i];
      continue;
    }
    std::string name = words[i].substr(2);
    std::ranges::replace(name, '-', '_');
    if (!is_argument(name)) return std::nullopt;
    const bool has_value = i + 1 < words.size() && !words[i + 1].starts_with("--");
    if (!has_value) {
      arguments[name] = true;
      continue;
    }
    const std::string& value = words[++i];
    uint64_t number = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    const bool is_number = error == std::errc() && end == value.data() + value.size();
    if (name == "map")
      arguments[name].push_back(value);
    else if (is_number && (name == "top" || name == "max_tokens"))
      arguments[name] = number;
    else
      arguments[name] = value;
  }
  return "profile_" + words[1] + " " + arguments.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

Json with_view(Json properties, const std::vector<std::string>& forms) {
  properties["form"] = {
      {"type", "string"}, {"enum", forms}, {"default", forms.front()}, {"description", "form of the answer"}};
  properties["by"] = {{"type", "string"},
                      {"maxLength", 200},
                      {"description", "group by function (default), line, file, module, thread or label:KEY"}};
  properties["top"] = {{"type", "integer"}, {"minimum", 1}, {"maximum", 10000}, {"description", "most rows"}};
  properties["focus"] = {{"type", "string"},
                         {"maxLength", 1000},
                         {"description", "regular expression: only samples with a function, file or module that matches"}};
  properties["ignore"] = {
      {"type", "string"}, {"maxLength", 1000}, {"description", "regular expression: no samples with one"}};
  properties["value"] = {{"type", "string"}, {"maxLength", 200}, {"description", "value type (default: the profile's own)"}};
  properties["max_tokens"] = {{"type", "integer"},
                              {"minimum", 50},
                              {"maximum", 20000},
                              {"description", "bound on the text of the answer (default 1000)"}};
  return properties;
}

Result<verbs::View> view_of(const Json& arguments, const ToolContext& context, const std::string& default_form) {
  verbs::View view;
  view.form = arguments.value("form", default_form);
  view.by = arguments.value("by", view.by);
  view.value = arguments.value("value", std::string());
  view.filter.focus = arguments.value("focus", std::string());
  view.filter.ignore = arguments.value("ignore", std::string());
  TRY(reduce::Pattern::compile(view.filter.focus));
  TRY(reduce::Pattern::compile(view.filter.ignore));
  TRY(reduce::parse_dimension(view.by));
  if (arguments.contains("top")) view.top = arguments["top"].get<size_t>();
  view.max_tokens = arguments.value("max_tokens", context.default_tokens);
  return view;
}

Json profile_property(const std::string& description) {
  return {{"type", "string"}, {"minLength", 1}, {"maxLength", 4096}, {"description", description}};
}

Result<std::string> profile_of(const Json& arguments, const char* name, const ToolContext& context) {
  const std::string said = arguments.at(name).get<std::string>();
  std::string reference = said.starts_with("profile://") ? said.substr(10) : said;
  if (is_profile_id(reference)) return reference;
  return context.permission->may_read(reference);
}

Json map_property() {
  return {{"type", "array"},
          {"items", {{"type", "string"}, {"minLength", 2}, {"maxLength", 8192}}},
          {"maxItems", 100},
          {"description",
           "folders, modules or packages that are called otherwise on the two sides and were not matched: [\"OLD=NEW\"]"}};
}

Result<std::vector<reduce::PathMap>> maps_of(const Json& arguments) {
  std::vector<reduce::PathMap> maps;
  for (const std::string& text : arguments.value("map", std::vector<std::string>()))
    maps.push_back(TRY(reduce::parse_path_map(text)));
  return maps;
}

Json command_property(const std::string& description) {
  return {{"type", "array"},
          {"items", {{"type", "string"}, {"maxLength", 100000}}},
          {"minItems", 1},
          {"maxItems", 1000},
          {"description", description}};
}

Json folder_property() {
  return {{"type", "string"}, {"maxLength", 4096}, {"description", "working folder (default: the working tree)"}};
}

Result<> enter_folder(const Json& arguments, const std::vector<std::vector<std::string>>& commands,
                      const ToolContext& context) {
  std::error_code error;
  const std::string& tree = context.permission->tree();
  const std::string said = arguments.value("cwd", std::string("."));
  const std::string folder =
      std::filesystem::canonical(std::filesystem::path(tree.empty() ? "/" : tree) / said, error).string();
  if (error) return fail(ErrorCode::NotFound, "no folder '" + said + "'", "name one that exists");
  for (const auto& command : commands) TRY(context.permission->may_run(command, folder));
  if (::chdir(folder.c_str()) != 0) return fail_errno("enter " + folder);
  return {};
}

bool is_profile_id(const std::string& text) {
  const auto is_hex = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
  return text.size() >= kShortestId && text.size() <= kLongestId && std::ranges::all_of(text, is_hex);
}

std::vector<std::string> as_calls(const std::vector<std::string>& commands) {
  std::vector<std::string> calls;
  for (const std::string& command : commands)
    if (auto call = as_call(command)) calls.push_back(std::move(*call));
  return calls;
}

}  // namespace atys::present::mcp
