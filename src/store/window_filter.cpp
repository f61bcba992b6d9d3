// SPDX-License-Identifier: Apache-2.0
#include "store/window_filter.h"

#include <fmt/format.h>

#include <algorithm>

namespace atys::store {

namespace {

bool is_of_group(std::string_view name) { return name == "service" || name == "kind" || name == "version"; }

}  // namespace

std::string_view WindowNames::value_of(std::string_view name) const {
  if (name == "service") return service;
  if (name == "kind") return kind;
  if (name == "version") return version;
  if (name == "node") return node;
  if (name == "instance") return instance;
  if (labels == nullptr) return {};
  const auto label = std::ranges::find(*labels, name, [](const auto& pair) { return std::string_view(pair.first); });
  return label == labels->end() ? std::string_view() : std::string_view(label->second);
}

WindowNames names_of(const Window& window) {
  return {window.service, window.kind, window.version, window.node, window.instance, &window.labels};
}

Result<WindowFilter> WindowFilter::compile(const Selection& selection) {
  if (selection.matchers.size() > kMostMatchers) {
    return fail(ErrorCode::InvalidInput, fmt::format("more than {} conditions on a question", kMostMatchers));
  }
  WindowFilter filter;
  if (!selection.service.empty()) TRY(filter.add(equals("service", selection.service)));
  if (!selection.kind.empty()) TRY(filter.add(equals("kind", selection.kind)));
  for (const Matcher& matcher : selection.matchers) TRY(filter.add(matcher));
  return filter;
}

Result<> WindowFilter::add(const Matcher& matcher) {
  if (matcher.name.empty() || matcher.name.size() > kLongestValue || matcher.value.size() > kLongestValue) {
    return fail(ErrorCode::InvalidInput, fmt::format("a condition of 1 to {} bytes is wanted", kLongestValue));
  }
  Condition condition{matcher, std::nullopt};
  const bool is_pattern = matcher.how == Matcher::How::Like || matcher.how == Matcher::How::NotLike;
  if (is_pattern) condition.pattern = TRY(reduce::Pattern::compile(matcher.value));
  (is_of_group(matcher.name) ? group_ : instance_).push_back(std::move(condition));
  return {};
}

bool WindowFilter::Condition::fits(std::string_view value) const {
  switch (matcher.how) {
    case Matcher::How::Equal: return value == matcher.value;
    case Matcher::How::NotEqual: return value != matcher.value;
    case Matcher::How::Like: return pattern->matches_whole(value);
    case Matcher::How::NotLike: return !pattern->matches_whole(value);
  }
  return false;
}

bool WindowFilter::fits(const std::vector<Condition>& conditions, const WindowNames& names) {
  return std::ranges::all_of(
      conditions, [&](const Condition& condition) { return condition.fits(names.value_of(condition.matcher.name)); });
}

}  // namespace atys::store
