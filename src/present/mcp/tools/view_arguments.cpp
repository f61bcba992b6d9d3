// SPDX-License-Identifier: Apache-2.0
#include "present/mcp/tools/view_arguments.h"

#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>

#include "base/hex.h"
#include "verbs/profiles/profile_reference.h"
#include "verbs/view/view_fields.h"

namespace atys::present::mcp {

namespace {

using verbs::FieldType;
using verbs::ViewField;

constexpr size_t kShortestId = 6;
constexpr size_t kLongestId = 32;

Json kind_of_value(const ViewField& field, const std::vector<reduce::Form>& forms) {
  switch (field.type) {
    case FieldType::Form: return {{"type", "string"}, {"enum", names_of(forms)}, {"default", to_string(forms.front())}};
    case FieldType::Number: return {{"type", "integer"}, {"minimum", field.least}, {"maximum", field.most}};
    case FieldType::Flag: return {{"type", "boolean"}};
    default: return {{"type", "string"}, {"maxLength", field.most}};
  }
}

Json property_of(const ViewField& field, const std::vector<reduce::Form>& forms) {
  constexpr size_t kMostOfAList = 100;
  Json property = kind_of_value(field, forms);
  if (field.is_repeated) property = {{"type", "array"}, {"items", std::move(property)}, {"maxItems", kMostOfAList}};
  if (!field.preset.empty() && field.type != FieldType::Number) property["default"] = field.preset;
  if (field.name == "max_tokens") property["default"] = ToolContext{}.default_tokens;
  property["description"] = field.in_short;
  return property;
}

}  // namespace

Json max_tokens_property() {
  const auto& fields = verbs::view_fields();
  return property_of(*std::ranges::find(fields, "max_tokens", &ViewField::name), {});
}

Json with_view(Json properties, const std::vector<reduce::Form>& forms) {
  for (const ViewField& field : verbs::view_fields())
    if (is_offered(field, verbs::Skin::Tools)) properties[std::string(field.name)] = property_of(field, forms);
  return properties;
}

Json with_lists(const Json& properties, Json arguments) {
  for (const ViewField& field : verbs::view_fields()) {
    const std::string name(field.name);
    if (field.is_repeated && properties.contains(name) && arguments.contains(name) && arguments[name].is_string())
      arguments[name] = Json::array({arguments[name]});
  }
  return arguments;
}

Result<verbs::View> view_of(const Json& arguments, const ToolContext& context, reduce::Form default_form) {
  verbs::View view;
  view.form = default_form;
  view.max_tokens = context.default_tokens;
  for (const ViewField& field : verbs::view_fields()) {
    if (!is_offered(field, verbs::Skin::Tools) || !arguments.contains(field.name)) continue;
    const Json& said = arguments[std::string(field.name)];
    for (const Json& one : said.is_array() ? said : Json::array({said}))
      TRY(set_bounded(view, field, one.is_string() ? one.get<std::string>() : one.dump()));
  }
  return view;
}

Json profile_property(const std::string& description) {
  return {{"type", "string"}, {"minLength", 1}, {"maxLength", 4096}, {"description", description}};
}

Json any_profile_property() {
  return profile_property("id of a profile (six digits will do), a file, or service:NAME@-1h..now of the fleet");
}

Result<std::string> profile_of(const Json& arguments, const char* name, const ToolContext& context) {
  const std::string said = arguments.at(name).get<std::string>();
  std::string reference = said.starts_with("profile://") ? said.substr(10) : said;
  if (is_profile_id(reference)) return reference;
  if (verbs::is_of_fleet(reference)) {
    TRY(context.permission->may_ask_fleet());
    return reference;
  }
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
  for (const char* secret : {"ATYS_TOKEN", "ATYS_KEY"}) ::unsetenv(secret);  // the operator's, not of what a client starts
  return {};
}

bool is_profile_id(const std::string& text) {
  return text.size() >= kShortestId && text.size() <= kLongestId && is_lower_hex(text);
}

}  // namespace atys::present::mcp
