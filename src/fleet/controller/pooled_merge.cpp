// SPDX-License-Identifier: Apache-2.0
#include "fleet/controller/pooled_merge.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "adapt/pooling.h"
#include "adapt/stretch.h"
#include "reduce/merge.h"

namespace atys::fleet {

namespace {

// Above that, a range is long, and a plain merge, which reads sums, is quick where this is not.
constexpr size_t kMostStretches = 200;
constexpr int64_t kSurroundingsNs = 1'800'000'000'000;

using Groups = std::vector<store::WindowGroup>;

bool is_plain(const Groups& groups) {
  return std::all_of(groups.begin(), groups.end(), [](const store::WindowGroup& group) { return group.stretch.is_none(); });
}

// The stretches that windows of the selection are of; nothing where they are too many, or not all of them can be known.
Result<std::optional<Groups>> stretches_in(store::ProfileStore& store, const store::Selection& selection) {
  store::Missing missing;
  Result<Groups> groups = store.groups(selection, {.most = kMostStretches}, &missing);
  if (groups.ok()) return missing.problems.empty() ? std::optional(groups.take()) : std::nullopt;
  if (groups.error().code == ErrorCode::ResourceExhausted) return std::optional<Groups>();
  return groups.error();
}

std::string weight_type(const Profile& profile) {
  if (profile.value_types().empty()) return {};
  return std::string(profile.text(profile.value_types()[profile.default_value_column()].type));
}

// Somebody who looks at a minute is told by all that is known of its stretch; an hour says enough of itself.
store::Selection with_surroundings(const store::Selection& selection) {
  store::Selection wide = selection;
  if (selection.to_ns - selection.from_ns >= 2 * kSurroundingsNs) return wide;
  wide.from_ns = selection.from_ns - std::min(kSurroundingsNs, selection.from_ns);
  wide.to_ns = selection.to_ns + std::min(kSurroundingsNs, INT64_MAX - selection.to_ns);
  return wide;
}

// When the windows of a stretch began, at whatever rate.
struct Extent {
  int64_t first_ns = INT64_MAX;
  int64_t last_ns = INT64_MIN;

  void add(const store::WindowGroup& group) {
    first_ns = std::min(first_ns, group.first_ns);
    last_ns = std::max(last_ns, group.last_ns);
  }
};

// Pools the parts of stretches: those that are asked for, and those that tell of them besides.
class StretchPool {
 public:
  explicit StretchPool(const Groups& groups) {
    for (const store::WindowGroup& group : groups) extents_[{group.stretch.stream, group.stretch.number}].add(group);
  }

  void add(const store::GroupPart& part, bool is_asked_for) {
    const store::Stretch& stretch = part.group.stretch;
    if (is_asked_for) windows_ += part.windows;
    if (stretch.is_none()) {
      if (is_asked_for) sum_.add(part.profile);
      return;
    }
    if (!is_asked_for) around_ += part.windows;
    const Extent& whole = extents_[{stretch.stream, stretch.number}];
    const bool has_newest = whole.first_ns < whole.last_ns && adapt::role_of(stretch.number) == adapt::Role::Alike;
    const bool is_newest = has_newest && part.is_newest && part.group.last_ns == whole.last_ns;
    streams_.try_emplace(stretch.stream, weight_type(part.profile))
        .first->second.add(part.profile, {stretch.number, is_asked_for, is_newest, whole.last_ns, stretch.began_ns});
  }

  store::Merged finish(store::Coverage coverage) {
    for (auto& [stream, pool] : streams_) sum_.add(pool.finish());
    coverage.windows = windows_;
    store::Merged merged{sum_.finish(), std::move(coverage)};
    if (around_ > 0) merged.profile.add_fact("windows_around", std::to_string(around_));
    return merged;
  }

 private:
  std::map<std::pair<std::string, uint64_t>, Extent> extents_;
  std::map<std::string, adapt::WindowPool> streams_;
  reduce::Merger sum_;
  size_t windows_ = 0;
  size_t around_ = 0;  // windows that tell of the stretches besides
};

// By what is in `wide`, which the range that is asked for is part of; nothing where some of that is not there.
Result<std::optional<store::Merged>> pool(store::ProfileStore& store, const store::Selection& asked,
                                          const store::Selection& wide) {
  const std::optional<Groups> groups = TRY(stretches_in(store, wide));
  if (!groups) return std::optional<store::Merged>();
  const bool is_wider = wide.from_ns < asked.from_ns || wide.to_ns > asked.to_ns;
  store::Grouping grouping{.newest_apart = true, .most = kMostStretches};
  if (is_wider) grouping.borders_ns = {asked.from_ns, asked.to_ns};
  auto merged = store.merge_grouped(wide, grouping);
  if (!merged.ok() && merged.error().code == ErrorCode::ResourceExhausted) return std::optional<store::Merged>();
  store::MergedGroups parts = TRY(std::move(merged));
  // What is missing may be missing around what is asked for alone: then that is asked for alone.
  if (parts.coverage.dropped || (is_wider && parts.coverage.is_damaged())) return std::optional<store::Merged>();
  StretchPool stretches(*groups);
  for (const store::GroupPart& part : parts.parts) stretches.add(part, !is_wider || part.piece == 1);
  parts.coverage.from_ns = asked.from_ns;
  parts.coverage.to_ns = asked.to_ns;
  return std::optional(stretches.finish(std::move(parts.coverage)));
}

}  // namespace

Result<Stretches> merge_stretches(store::ProfileStore& store, const store::Selection& selection) {
  Stretches stretches;
  const std::optional<Groups> groups = TRY(stretches_in(store, selection));
  if (groups && !is_plain(*groups)) {
    store::MergedGroups merged = TRY(store.merge_grouped(selection, {.most = kMostStretches}));
    for (store::GroupPart& part : merged.parts) {
      merged.coverage.windows = part.windows;
      stretches.emplace_back(part.group.stretch, store::Merged{std::move(part.profile), merged.coverage});
    }
    if (!merged.coverage.dropped) return stretches;
    stretches.clear();
  }
  stretches.emplace_back(store::Stretch{}, TRY(store.merge(selection)));
  return stretches;
}

Result<store::Merged> pooled_merge(store::ProfileStore& store, const store::Selection& selection, store::Detail detail) {
  if (detail == store::Detail::Samples) return store.merge(selection, detail);
  const std::optional<Groups> groups = TRY(stretches_in(store, selection));
  if (!groups || is_plain(*groups)) return store.merge(selection, detail);
  for (const store::Selection& wide : {with_surroundings(selection), selection})
    if (std::optional<store::Merged> pooled = TRY(pool(store, selection, wide))) return std::move(*pooled);
  return store.merge(selection, detail);
}

}  // namespace atys::fleet
