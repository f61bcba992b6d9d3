// SPDX-License-Identifier: Apache-2.0
#include "reduce/filter.h"

#include <algorithm>
#include <memory>

#include "profile/import.h"
#include "reduce/label_text.h"
#include "reduce/pattern.h"

namespace atys::reduce {

using namespace profile;

namespace {

// Whether each stack passes through a frame that matches; every frame is matched once.
class StackMatcher {
 public:
  StackMatcher(const Profile& profile, const Pattern& pattern) : profile_(profile), frames_(profile.frames.size()) {
    for (uint32_t i = 1; i < frames_.size(); ++i) frames_[i] = frame_matches(profile, FrameId{i}, pattern);
  }

  bool matches(StackId stack) const {
    return std::ranges::any_of(profile_.stacks[stack], [&](FrameId frame) { return frames_[raw(frame)]; });
  }

 private:
  const Profile& profile_;
  std::vector<bool> frames_;
};

// Whether the innermost frame of each stack matches.
class LeafMatcher {
 public:
  LeafMatcher(const Profile& profile, const Pattern& pattern) : profile_(profile), frames_(profile.frames.size()) {
    for (uint32_t i = 1; i < frames_.size(); ++i) frames_[i] = innermost_matches(profile, FrameId{i}, pattern);
  }

  bool matches(StackId stack) const {
    const auto leaf_first = profile_.stacks[stack];
    return !leaf_first.empty() && frames_[raw(leaf_first.front())];
  }

 private:
  const Profile& profile_;
  std::vector<bool> frames_;
};

// Whether each label set meets a condition.
std::vector<bool> sets_that_match(const Profile& profile, const std::string& key, const Pattern& pattern) {
  std::vector<bool> result(profile.label_sets.size());
  for (uint32_t i = 0; i < result.size(); ++i) {
    for (const LabelId id : profile.label_sets[LabelSetId{i}]) {
      const Label& label = profile.labels[id];
      if (profile.text(label.key) == key && pattern.matches_whole(value_text(profile, label))) result[i] = true;
    }
  }
  return result;
}

struct Conditions {
  std::optional<StackMatcher> focus;
  std::optional<StackMatcher> ignore;
  std::optional<LeafMatcher> leaf;
  std::vector<std::vector<bool>> labels;  // by LabelSetId, one per condition
  std::optional<int64_t> from_ns;
  std::optional<int64_t> to_ns;

  // Those that are not about names.
  bool others_hold(const SampleTable& samples, size_t row) const {
    if (from_ns || to_ns) {
      const int64_t time = samples.time_ns(row);
      if (time == 0 || (from_ns && time < *from_ns) || (to_ns && time >= *to_ns)) return false;
    }
    return std::ranges::all_of(labels, [&](const std::vector<bool>& sets) { return sets[raw(samples.labels(row))]; });
  }
  bool is_in_focus(const SampleTable& samples, size_t row) const { return !focus || focus->matches(samples.stack(row)); }
  bool ends_as_asked(const SampleTable& samples, size_t row) const { return !leaf || leaf->matches(samples.stack(row)); }
  bool is_ignored(const SampleTable& samples, size_t row) const { return ignore && ignore->matches(samples.stack(row)); }
};

Result<Conditions> compile(const Profile& profile, const FilterOptions& options) {
  Conditions conditions;
  conditions.from_ns = options.from_ns;
  conditions.to_ns = options.to_ns;
  if (!options.focus.empty()) conditions.focus.emplace(profile, TRY(Pattern::compile(options.focus)));
  if (!options.ignore.empty()) conditions.ignore.emplace(profile, TRY(Pattern::compile(options.ignore)));
  if (!options.leaf.empty()) conditions.leaf.emplace(profile, TRY(Pattern::compile(options.leaf)));
  for (const LabelCondition& condition : options.labels) {
    conditions.labels.push_back(sets_that_match(profile, condition.key, TRY(Pattern::compile(condition.pattern))));
  }
  return conditions;
}

template <typename IsKept>
Profile kept_rows(const Profile& profile, const IsKept& is_kept) {
  Profile kept;
  Importer importer(profile, kept);
  importer.copy_header();
  std::vector<int64_t> values(profile.value_types().size());
  for (size_t row = 0; row < profile.samples.size(); ++row) {
    if (!is_kept(row)) continue;
    for (size_t type = 0; type < values.size(); ++type) values[type] = profile.samples.value(row, type);
    kept.samples.add(importer.stack(profile.samples.stack(row)), importer.labels(profile.samples.labels(row)), values,
                     profile.samples.time_ns(row));
  }
  return kept;
}

}  // namespace

Result<Profile> filter(const Profile& profile, const FilterOptions& options) {
  const Conditions conditions = TRY(compile(profile, options));
  const SampleTable& samples = profile.samples;
  return kept_rows(profile, [&](size_t row) {
    return conditions.others_hold(samples, row) && conditions.is_in_focus(samples, row) &&
           conditions.ends_as_asked(samples, row) && !conditions.is_ignored(samples, row);
  });
}

Result<Profile> filter(const Profile& profile, const Profile& otherwise_named, const FilterOptions& options) {
  const Conditions here = TRY(compile(profile, options));
  const Conditions there = TRY(compile(otherwise_named, options));
  const SampleTable& a = profile.samples;
  const SampleTable& b = otherwise_named.samples;
  return kept_rows(profile, [&](size_t row) {
    return here.others_hold(a, row) && (here.is_in_focus(a, row) || there.is_in_focus(b, row)) &&
           (here.ends_as_asked(a, row) || there.ends_as_asked(b, row)) && !here.is_ignored(a, row) &&
           !there.is_ignored(b, row);
  });
}

}  // namespace atys::reduce
