// SPDX-License-Identifier: Apache-2.0
#include "present/web/parameters.h"

#include <algorithm>
#include <charconv>

#include "base/quantities.h"

namespace atys::present::web {

namespace {

constexpr std::string_view kLabel = "label.";
constexpr size_t kMostRows = 1000;
constexpr int64_t kSecond = 1'000'000'000;

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
    if (is_filter) TRY(fleet::set_filter(query, key, value));
    if (key.starts_with(kLabel) && key.size() > kLabel.size()) query.labels[key.substr(kLabel.size())] = value;
  }
  return query;
}

Result<verbs::View> view_of(const Parameters& parameters) {
  verbs::View view;
  if (const std::string form = parameter(parameters, "form"); !form.empty()) view.form = form;
  if (const std::string by = parameter(parameters, "by"); !by.empty()) view.by = by;
  TRY(reduce::parse_dimension(view.by));
  view.value = parameter(parameters, "value");
  view.filter.focus = parameter(parameters, "focus");
  view.filter.ignore = parameter(parameters, "ignore");
  view.full_names = true;
  if (const std::string text = parameter(parameters, "n"); !text.empty()) {
    size_t rows = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), rows);
    if (error != std::errc{} || end != text.data() + text.size() || rows == 0 || rows > kMostRows)
      return fail(ErrorCode::InvalidInput, "'" + text + "' is no number of rows", "take 1 to 1000");
    view.top = rows;
  }
  return view;
}

Result<int64_t> step_of(const Parameters& parameters, const verbs::ServiceQuery& query) {
  if (const std::string text = parameter(parameters, "step"); !text.empty())
    return static_cast<int64_t>(TRY(parse_duration(text)));
  return std::max(kSecond, (query.to_ns - query.from_ns) / 100 / kSecond * kSecond);
}

}  // namespace atys::present::web
