// SPDX-License-Identifier: Apache-2.0
#include "present/mcp/arguments.h"

#include "base/strings.h"
#include "base/utf8.h"

namespace atys::present::mcp {

namespace {

constexpr size_t kMostShown = 60;

std::string shown(const Json& value) {
  std::string text = printable(value.dump(-1, ' ', false, Json::error_handler_t::replace));
  if (text.size() > kMostShown) text = printable(text.substr(0, kMostShown)) + "…";
  return text;
}

bool is_of_type(const Json& value, const std::string& type) {
  if (type == "object") return value.is_object();
  if (type == "array") return value.is_array();
  if (type == "string") return value.is_string();
  if (type == "boolean") return value.is_boolean();
  if (type == "integer") return value.is_number_integer();
  if (type == "number") return value.is_number();
  return false;
}

std::string list_of(const Json& words) {
  return joined(words, ", ", [](const Json& word) { return word.is_string() ? word.get<std::string>() : word.dump(); });
}

Error wrong(const std::string& where, const std::string& why, const Json& schema) {
  return fail(ErrorCode::InvalidInput, where + ": " + why, schema.value("description", std::string()));
}

Result<> check(const std::string& where, const Json& schema, const Json& value);

Result<> check_object(const std::string& where, const Json& schema, const Json& value) {
  const Json properties = schema.value("properties", Json::object());
  for (const Json& name : schema.value("required", Json::array()))
    if (!value.contains(name.get<std::string>()))
      return wrong(where + "." + name.get<std::string>(), "is missing", properties.value(name.get<std::string>(), schema));
  for (const auto& [name, item] : value.items()) {
    if (properties.contains(name)) {
      TRY(check(where + "." + name, properties[name], item));
    } else if (schema.value("additionalProperties", true) == false) {
      Json names = Json::array();
      for (const auto& [known, ignored] : properties.items()) names.push_back(known);
      return fail(ErrorCode::InvalidInput, where + " has no '" + printable(name.substr(0, kMostShown)) + "'",
                  properties.empty() ? "it takes no arguments" : "it takes " + list_of(names));
    }
  }
  return {};
}

Result<> check_range(const std::string& where, const Json& schema, double size, const char* least, const char* most,
                     const std::string& what) {
  if (schema.contains(least) && size < schema[least].get<double>())
    return wrong(where, "at least " + schema[least].dump() + what, schema);
  if (schema.contains(most) && size > schema[most].get<double>())
    return wrong(where, "at most " + schema[most].dump() + what, schema);
  return {};
}

Result<> check(const std::string& where, const Json& schema, const Json& value) {
  const std::string type = schema.value("type", std::string("object"));
  if (!is_of_type(value, type)) return wrong(where, shown(value) + " is not of type " + type, schema);
  if (schema.contains("enum")) {
    for (const Json& allowed : schema["enum"])
      if (allowed == value) return {};
    return wrong(where, shown(value) + " is none of " + list_of(schema["enum"]), schema);
  }
  if (value.is_object()) return check_object(where, schema, value);
  if (value.is_number()) return check_range(where, schema, value.get<double>(), "minimum", "maximum", "");
  if (value.is_string())
    return check_range(where, schema, static_cast<double>(value.get_ref<const std::string&>().size()), "minLength",
                       "maxLength", " characters");
  if (!value.is_array()) return {};
  TRY(check_range(where, schema, static_cast<double>(value.size()), "minItems", "maxItems", " entries"));
  if (schema.contains("items"))
    for (size_t i = 0; i < value.size(); ++i) TRY(check(where + "[" + std::to_string(i) + "]", schema["items"], value[i]));
  return {};
}

}  // namespace

Result<> check_arguments(const Json& schema, const Json& arguments) { return check("arguments", schema, arguments); }

}  // namespace atys::present::mcp
