// SPDX-License-Identifier: Apache-2.0
#include "present/web/parameters.h"

#include <algorithm>

#include "base/json.h"
#include "base/quantities.h"
#include "verbs/view/view_fields.h"

namespace atys::present::web {

namespace {

constexpr std::string_view kLabel = "label.";
constexpr int64_t kSecond = 1'000'000'000;

// What is empty was left empty in the page.
Result<> set_field(verbs::View& view, const verbs::ViewField& field, const Parameters& parameters) {
  for (const std::string_view name : {field.name, field.old_parameter}) {
    if (name.empty()) continue;
    const auto [begin, end] = parameters.equal_range(std::string(name));
    for (auto said = begin; said != end; ++said) {
      if (!said->second.empty()) TRY(set_bounded(view, field, said->second));
      if (!field.is_repeated) break;
    }
  }
  return {};
}

}  // namespace

std::string parameter(const Parameters& parameters, const std::string& name) {
  const auto found = parameters.find(name);
  return found == parameters.end() ? std::string() : found->second;
}

Result<verbs::ServiceQuery> query_of(const Parameters& parameters, int64_t now_ns) {
  verbs::ServiceQuery query;
  query.service = parameter(parameters, "service");
  if (query.service.empty()) return fail(ErrorCode::InvalidInput, "no service is named", "add service=NAME");
  TRY(fleet::set_range(query, parameter(parameters, "from"), parameter(parameters, "to"), now_ns));
  for (const auto& [key, value] : parameters) {
    const bool is_filter = key == "kind" || key == "version" || key == "node" || key == "instance";
    if (is_filter) TRY(fleet::set_filter(query, store::equals(key, value)));
    if (key.starts_with(kLabel) && key.size() > kLabel.size())
      TRY(fleet::set_filter(query, store::equals(key.substr(kLabel.size()), value)));
    if (key == "match") TRY(fleet::set_filters(query, value));
  }
  return query;
}

Result<verbs::View> view_of(const Parameters& parameters) {
  verbs::View view;
  view.full_names = true;
  for (const verbs::ViewField& field : verbs::view_fields())
    if (is_offered(field, verbs::Skin::Http)) TRY(set_field(view, field, parameters));
  return view;
}

Result<int64_t> step_of(const Parameters& parameters, const verbs::ServiceQuery& query) {
  if (const std::string text = parameter(parameters, "step"); !text.empty())
    return static_cast<int64_t>(TRY(parse_duration(text)));
  return std::max(kSecond, (query.to_ns - query.from_ns) / 100 / kSecond * kSecond);
}

std::string view_fields_as_json() {
  JsonWriter json;
  json.begin_array();
  for (const verbs::ViewField& field : verbs::view_fields()) {
    if (!is_offered(field, verbs::Skin::Http)) continue;
    json.begin_object().field("name", field.name).field("value", field.value).field("text", field.text);
    json.field("of_filter", is_of_filter(field)).field("repeated", field.is_repeated).key("offered").begin_array();
    for (const std::string& word : field.offered) json.value(word);
    json.end_array().end_object();
  }
  json.end_array();
  return json.take();
}

}  // namespace atys::present::web
