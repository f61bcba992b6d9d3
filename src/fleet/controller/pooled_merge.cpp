// SPDX-License-Identifier: Apache-2.0
#include "fleet/controller/pooled_merge.h"

#include <algorithm>
#include <charconv>
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

// "SENDER/TASK/NUMBER@RATE": the windows of one sender and task are a stream, and its stretches are counted.
struct StretchName {
  std::string stream;
  uint64_t number = 0;
};

StretchName parse_stretch(const std::string& label) {
  const std::string stretch = label.substr(0, label.rfind(kRateMark));
  const size_t slash = stretch.rfind('/');
  if (slash == std::string::npos) return {stretch, 0};
  StretchName name{stretch.substr(0, slash), 0};
  std::from_chars(stretch.data() + slash + 1, stretch.data() + stretch.size(), name.number);
  return name;
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

Result<store::Merged> pooled_merge(store::ProfileStore& store, const store::Selection& selection, store::Detail detail) {
  if (detail == store::Detail::Samples) return store.merge(selection, detail);
  const Stretches stretches = TRY(merge_stretches(store, selection));
  store::Merged merged;
  reduce::Merger sum;
  std::map<std::string, adapt::WindowPool> streams;
  for (size_t i = 0; i < stretches.size(); ++i) {
    const auto& [label, part] = stretches[i];
    unite(merged.coverage, part.coverage, i == 0);
    const StretchName name = parse_stretch(label);
    if (name.stream.empty()) {
      sum.add(part.profile);
      continue;
    }
    const auto [pool, is_new] = streams.try_emplace(name.stream, weight_type(part.profile));
    pool->second.add(part.profile, name.number, part.coverage.windows);
  }
  for (auto& [stream, pool] : streams) sum.add(pool.finish());
  merged.profile = sum.finish();
  return merged;
}

}  // namespace atys::fleet
