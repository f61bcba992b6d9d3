// SPDX-License-Identifier: Apache-2.0
#include "fleet/controller/pooled_merge.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "adapt/pooling.h"
#include "adapt/stretch.h"
#include "fleet/controller/received.h"
#include "fleet/window_labels.h"
#include "reduce/merge.h"

namespace atys::fleet {

namespace {

// Above that, a range is long, and a plain merge, which reads sums, is quick where this is not.
constexpr size_t kMostStretches = 200;
constexpr int64_t kNsPerMs = 1'000'000;
constexpr int64_t kSurroundingsNs = 1'800'000'000'000;

void unite(store::Coverage& all, const store::Coverage& one, bool is_first) {
  all.windows += one.windows;
  all.coarsest = std::max(all.coarsest, one.coarsest);
  all.from_ns = is_first ? one.from_ns : std::min(all.from_ns, one.from_ns);
  all.to_ns = is_first ? one.to_ns : std::max(all.to_ns, one.to_ns);
  all.exact = all.exact && one.exact;
  all.dropped = all.dropped || one.dropped;
  all.may_return = all.may_return || one.may_return;
  for (const std::string& problem : one.problems)
    if (std::find(all.problems.begin(), all.problems.end(), problem) == all.problems.end()) all.problems.push_back(problem);
}

bool fits(const std::optional<std::string>& wanted, const std::string& value) { return !wanted || *wanted == value; }

// When windows with a label began.
struct Extent {
  int64_t first_ns = INT64_MAX;
  int64_t last_ns = INT64_MIN;

  void add(const Extent& other) {
    first_ns = std::min(first_ns, other.first_ns);
    last_ns = std::max(last_ns, other.last_ns);
  }
};
using Labels = std::map<std::string, Extent, std::less<>>;

bool is_plain(const Labels& labels) { return labels.empty() || (labels.size() == 1 && labels.contains(kNoStretch)); }

// The stretches that windows of the selection may be of; none where not all of them can be known.
Result<Labels> stretches_in(store::ProfileStore& store, const store::Selection& selection) {
  Labels labels;
  store::Missing missing;
  const std::vector<store::InstanceEntry> instances = TRY(store.instances(selection.service, &missing));
  if (!missing.problems.empty()) return labels;
  for (const store::InstanceEntry& entry : instances) {
    const bool is_elsewhere = entry.windows > 0 && (entry.last_ns < selection.from_ns || entry.first_ns >= selection.to_ns);
    if (is_elsewhere || !fits(selection.version, entry.version) || !fits(selection.node, entry.node) ||
        !fits(selection.instance, entry.instance))
      continue;
    for (const auto& [key, value] : entry.labels)
      if (key == kStretch) labels[value].add({entry.first_ns, entry.last_ns});
  }
  return labels;
}

// "SENDER/TASK/NUMBER@RATE": the windows of one sender and task are a stream, and its stretches are counted. The number may
// be followed by when a change began (window_labels.h).
struct StretchName {
  std::string stream;
  uint64_t number = 0;
  int64_t began_ns = 0;
};

StretchName parse_stretch(const std::string& label) {
  const std::string stretch = label.substr(0, label.rfind(kRateMark));
  const size_t slash = stretch.rfind('/');
  if (slash == std::string::npos) return {.stream = stretch};
  StretchName name{.stream = stretch.substr(0, slash)};
  const char* end = stretch.data() + stretch.size();
  const char* behind = std::from_chars(stretch.data() + slash + 1, end, name.number).ptr;
  int64_t began_ms = 0;
  if (behind != end && *behind == kBeganMark) std::from_chars(behind + 1, end, began_ms);
  if (began_ms > 0 && began_ms < INT64_MAX / kNsPerMs) name.began_ns = began_ms * kNsPerMs;
  return name;
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

// Reads the windows of stretches piece by piece: before, in and after the range that is asked for, and the last window of
// each stretch apart.
class StretchReader {
 public:
  StretchReader(store::ProfileStore& store, const store::Selection& selection, const Labels& labels)
      : store_(store), asked_(selection), wide_(with_surroundings(selection)) {
    for (const auto& [label, extent] : labels) {
      const StretchName name = parse_stretch(label);
      extents_[{name.stream, name.number}].add(extent);
    }
  }

  Result<> read(const std::string& label, const Extent& extent) {
    const StretchName name = parse_stretch(label);
    const Extent& whole = extents_.at({name.stream, name.number});
    const bool has_newest = whole.first_ns < whole.last_ns && adapt::role_of(name.number) == adapt::Role::Alike;
    std::set<int64_t> borders{wide_.from_ns, asked_.from_ns, asked_.to_ns, wide_.to_ns};
    if (has_newest && wide_.from_ns < whole.last_ns && whole.last_ns < wide_.to_ns) borders.insert(whole.last_ns);
    for (auto from = borders.begin(); std::next(from) != borders.end(); ++from) {
      const int64_t to_ns = *std::next(from);
      if (extent.last_ns < *from || extent.first_ns >= to_ns) continue;
      const bool is_asked_for = asked_.from_ns <= *from && to_ns <= asked_.to_ns;
      const bool is_newest = has_newest && *from == whole.last_ns;
      TRY(read_piece(label, name, {*from, to_ns}, {name.number, is_asked_for, is_newest, whole.last_ns, name.began_ns}));
    }
    return {};
  }

  bool is_whole() const { return is_whole_; }

  store::Merged finish() {
    for (auto& [stream, pool] : streams_) sum_.add(pool.finish());
    merged_.profile = sum_.finish();
    // Pieces without windows were not read, and are covered all the same.
    store::Coverage& coverage = merged_.coverage;
    coverage.from_ns = is_first_ ? asked_.from_ns : std::min(coverage.from_ns, asked_.from_ns);
    coverage.to_ns = is_first_ ? asked_.to_ns : std::max(coverage.to_ns, asked_.to_ns);
    if (around_ > 0) merged_.profile.add_fact("windows_around", std::to_string(around_));
    return std::move(merged_);
  }

 private:
  struct Range {
    int64_t from_ns;
    int64_t to_ns;
  };

  Result<> read_piece(const std::string& label, const StretchName& name, Range range, adapt::Place place) {
    const bool has_stretch = label != kNoStretch;
    if (!has_stretch && !place.is_asked_for) return {};
    store::Selection one = asked_;
    one.from_ns = range.from_ns;
    one.to_ns = range.to_ns;
    one.labels.emplace_back(kStretch, label);
    const store::Merged part = TRY(store_.merge(one));
    if (place.is_asked_for) {
      unite(merged_.coverage, part.coverage, std::exchange(is_first_, false));
      is_whole_ = is_whole_ && !part.coverage.dropped;
    } else {
      around_ += part.coverage.windows;
    }
    if (!has_stretch)
      sum_.add(part.profile);
    else if (part.coverage.windows > 0)
      streams_.try_emplace(name.stream, weight_type(part.profile)).first->second.add(part.profile, place);
    return {};
  }

  store::ProfileStore& store_;
  store::Selection asked_;
  store::Selection wide_;
  std::map<std::pair<std::string, uint64_t>, Extent> extents_;
  std::map<std::string, adapt::WindowPool> streams_;
  reduce::Merger sum_;
  store::Merged merged_;
  size_t around_ = 0;  // windows that tell of the stretches besides
  bool is_first_ = true;
  bool is_whole_ = true;  // nothing that is asked for was dropped meanwhile
};

}  // namespace

Result<Stretches> merge_stretches(store::ProfileStore& store, const store::Selection& selection) {
  const Labels labels = TRY(stretches_in(store, selection));
  Stretches stretches;
  if (!is_plain(labels) && labels.size() <= kMostStretches) {
    bool is_whole = true;
    for (const auto& [label, extent] : labels) {
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
  const Labels asked = TRY(stretches_in(store, selection));
  if (detail == store::Detail::Samples || is_plain(asked) || asked.size() > kMostStretches)
    return store.merge(selection, detail);
  Labels labels = TRY(stretches_in(store, with_surroundings(selection)));
  if (labels.size() > kMostStretches) labels = asked;
  StretchReader reader(store, selection, labels);
  for (const auto& [label, extent] : labels) TRY(reader.read(label, extent));
  return reader.is_whole() ? reader.finish() : store.merge(selection, detail);
}

}  // namespace atys::fleet
