// SPDX-License-Identifier: Apache-2.0
#include "present/mcp/follow_up_call.h"

#include "base/json.h"
#include "verbs/view/view_fields.h"

namespace atys::present::mcp {

namespace {

using verbs::FollowUp;
using verbs::Question;

// What a tool answers in where no form is named.
reduce::Form own_form(Question question) {
  return question == Question::Summary ? reduce::Form::Brief : verbs::usual_form(question);
}

void add_text(Json& arguments, const char* name, const std::string& text) {
  if (!text.empty()) arguments[name] = text;
}

Json value_of(const verbs::ViewField& field, const std::string& text) {
  if (field.type == verbs::FieldType::Number) return std::stoull(text);
  if (field.type == verbs::FieldType::Flag) return true;
  return text;
}

// A list of one is told as that one, which the tool takes as well.
void add_field(Json& arguments, const verbs::ViewField& field, const verbs::View& view) {
  Json values = Json::array();
  for (const std::string& text : field.told(view)) values.push_back(value_of(field, text));
  if (!values.empty()) arguments[std::string(field.name)] = values.size() == 1 ? values[0] : values;
}

void add_view(Json& arguments, const FollowUp& follow_up) {
  for (const verbs::ViewField& field : verbs::view_fields()) {
    // How long an answer may be is said by who asks.
    const bool is_asked = is_offered(field, verbs::Skin::Tools) && field.name != "max_tokens";
    if (is_asked && field.type != verbs::FieldType::Form) add_field(arguments, field, follow_up.view);
  }
  if (follow_up.view.form != own_form(follow_up.question)) arguments["form"] = to_string(follow_up.view.form);
}

}  // namespace

std::string call_of(const FollowUp& follow_up) {
  Json arguments = Json::object();
  const bool has_sides = follow_up.question == Question::Diff;
  for (size_t i = 0; i < follow_up.profiles.size(); ++i)
    arguments[!has_sides ? "profile" : i == 0 ? "base" : "new"] = follow_up.profiles[i];
  add_view(arguments, follow_up);
  add_text(arguments, "behind", follow_up.behind);
  for (const reduce::PathMap& map : follow_up.maps) arguments["map"].push_back(map.from + "=" + map.to);
  return std::string("profile_") + to_string(follow_up.question) + " " +
         arguments.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace atys::present::mcp
