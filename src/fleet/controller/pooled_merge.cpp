// SPDX-License-Identifier: Apache-2.0
#include "fleet/controller/pooled_merge.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "adapt/pooling.h"
#include "fleet/controller/received.h"
#include "fleet/window_labels.h"
#include "reduce/merge.h"

namespace atys::fleet {

namespace {

// Above that, a range is long, and a plain merge, which reads sums, is quick where this is not.
constexpr size_t kMostStretches = 200;

void unite(store::Coverage& all, const store::Coverage& one, bool is_first) {
  all.windows += one.windows;
  all.coarsest = std::max(all.coarsest, one.coarsest);
  all.from_ns = is_first ? one.from_ns : std::min(all.from_ns, one.from_ns);
  all.to_ns = is_first ? one.to_ns : std::max(all.to_ns, one.to_ns);
  all.exact = all.exact && one.exact;
  all.dropped = all.dropped || one.dropped;
  for (const std::string& problem : one.problems)
    if (std::find(all.problems.begin(), all.problems.end(), problem) == all.problems.end()) all.problems.push_back(problem);
}

bool fits(const std::optional<std::string>& wanted, const std::string& value) { return !wanted || *wanted == value; }

// The stretches that windows of the selection may be of.
Result<std::set<std::string>> stretches_in(store::ProfileStore& store, const store::Selection& selection) {
  std::set<std::string> labels;
  for (const store::InstanceEntry& entry : TRY(store.instances(selection.service))) {
    const bool is_elsewhere = entry.windows > 0 && (entry.last_ns < selection.from_ns || entry.first_ns >= selection.to_ns);
    if (is_elsewhere || !fits(selection.version, entry.version) || !fits(selection.node, entry.node) ||
        !fits(selection.instance, entry.instance))
      continue;
    for (const auto& [key, value] : entry.labels)
      if (key == kStretch) labels.insert(value);
  }
  return labels;
}

std::string weight_type(const Profile& profile) {
  if (profile.value_types().empty()) return {};
  return std::string(profile.text(profile.value_types()[profile.default_value_column()].type));
}

}  // namespace

Result<Stretches> merge_stretches(store::ProfileStore& store, const store::Selection& selection) {
  const std::set<std::string> labels = TRY(stretches_in(store, selection));
  const bool is_plain = labels.empty() || (labels.size() == 1 && *labels.begin() == kNoStretch);
  Stretches stretches;
  if (!is_plain && labels.size() <= kMostStretches) {
    bool is_whole = true;
    for (const std::string& label : labels) {
      store::Selection one = selection;
      one.labels.emplace_back(kStretch, label);
      stretches.emplace_back(label == kNoStretch ? "" : label, TRY(store.merge(one)));
      is_whole = is_whole && !stretches.back().second.coverage.dropped;
    }
    if (is_whole) return stretches;
    stretches.clear();
  }
  stretches.emplace_back("", TRY(store.merge(selection)));
  return stretches;
}

Profile pool(const std::vector<std::pair<std::string, const Profile*>>& stretches) {
  std::map<std::string, std::vector<const Profile*>> groups;
  reduce::Merger sum;
  for (const auto& [stretch, profile] : stretches) {
    if (stretch.empty())
      sum.add(*profile);
    else
      groups[stretch.substr(0, stretch.rfind(kRateMark))].push_back(profile);
  }
  for (const auto& [stretch, profiles] : groups) {
    if (profiles.size() == 1) {
      sum.add(*profiles.front());
      continue;
    }
    adapt::WindowPool pool(weight_type(*profiles.front()));
    for (const Profile* profile : profiles) pool.add(*profile);
    sum.add(pool.finish());
  }
  return sum.finish();
}

Result<store::Merged> pooled_merge(store::ProfileStore& store, const store::Selection& selection, store::Detail detail) {
  if (detail == store::Detail::Samples) return store.merge(selection, detail);
  const Stretches stretches = TRY(merge_stretches(store, selection));
  store::Merged merged;
  std::vector<std::pair<std::string, const Profile*>> profiles;
  for (size_t i = 0; i < stretches.size(); ++i) {
    unite(merged.coverage, stretches[i].second.coverage, i == 0);
    profiles.emplace_back(stretches[i].first, &stretches[i].second.profile);
  }
  merged.profile = pool(profiles);
  return merged;
}

}  // namespace atys::fleet
