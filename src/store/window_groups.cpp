// SPDX-License-Identifier: Apache-2.0
#include "store/window_groups.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <tuple>
#include <utility>

namespace atys::store {

namespace {

constexpr size_t kMostBorders = 1000;

}  // namespace

Result<GroupList> GroupList::create(const Grouping& grouping) {
  if (grouping.borders_ns.size() > kMostBorders || !std::ranges::is_sorted(grouping.borders_ns)) {
    return fail(ErrorCode::InvalidInput, fmt::format("the borders of groups want to be at most {}, in order", kMostBorders));
  }
  return GroupList(grouping);
}

size_t GroupList::position_of(const SeenSeries& names) {
  Key key;
  if (grouping_.by.empty())
    key.first = names.stretch;
  else
    key.second = names_of(names).value_of(grouping_.by);
  const auto [place, is_new] = positions_.try_emplace(std::move(key), groups_.size());
  if (is_new) groups_.push_back({.stretch = place->first.first, .value = place->first.second});
  return place->second;
}

Result<> GroupList::add(const SeenSeries& seen) {
  WindowGroup& group = groups_[position_of(seen)];
  if (groups_.size() > grouping_.most) {
    return fail(ErrorCode::ResourceExhausted, fmt::format("more than {} groups of windows", grouping_.most),
                "ask for a shorter time, or for fewer of them");
  }
  group.first_ns = group.windows == 0 ? seen.first_ns : std::min(group.first_ns, seen.first_ns);
  group.last_ns = group.windows == 0 ? seen.last_ns : std::max(group.last_ns, seen.last_ns);
  group.windows += seen.windows;
  return {};
}

std::vector<WindowGroup> GroupList::finish() && {
  std::ranges::sort(groups_, [](const WindowGroup& a, const WindowGroup& b) { return a.order(b) < 0; });
  return std::move(groups_);
}

GroupList::Part GroupList::part_of(size_t group, int64_t start_ns) const {
  const auto behind = std::ranges::upper_bound(grouping_.borders_ns, start_ns);
  return {.group = group,
          .piece = static_cast<size_t>(std::distance(grouping_.borders_ns.begin(), behind)),
          .is_newest = grouping_.newest_apart && start_ns == groups_[group].last_ns};
}

void sort_parts(std::vector<GroupPart>& parts) {
  std::ranges::sort(parts, [](const GroupPart& a, const GroupPart& b) {
    const auto by_group = a.group.order(b.group);
    return by_group != 0 ? by_group < 0 : std::tie(a.piece, a.is_newest) < std::tie(b.piece, b.is_newest);
  });
}

void NameList::add(std::string_view name) {
  if (names_.contains(name)) return;
  names_.emplace(name);
  if (names_.size() <= most_) return;
  names_.erase(std::prev(names_.end()));
  has_more_ = true;
}

Names NameList::finish() && {
  Names result{.has_more = has_more_};
  while (!names_.empty()) result.names.push_back(std::move(names_.extract(names_.begin()).value()));
  return result;
}

void add_names(const SeenSeries& seen, NameList& names) {
  for (const std::string_view name : {"service", "kind", "version", "node", "instance"}) names.add(name);
  for (const auto& [key, value] : seen.labels) names.add(key);
}

void add_value(const SeenSeries& seen, std::string_view name, NameList& values) {
  if (const std::string_view value = names_of(seen).value_of(name); !value.empty()) values.add(value);
}

WindowNames names_of(const SeenSeries& seen) {
  return {seen.service, seen.kind, seen.version, seen.node, seen.instance, &seen.labels};
}

}  // namespace atys::store
