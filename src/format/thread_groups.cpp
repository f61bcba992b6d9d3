// SPDX-License-Identifier: Apache-2.0
#include "format/thread_groups.h"

#include <algorithm>
#include <array>
#include <map>
#include <span>
#include <string_view>

namespace atys::format {

using namespace profile;

namespace {

// The standard name of a label first, then what others call it.
constexpr std::array<std::string_view, 2> kProcessIdKeys{"process.pid", "pid"};
constexpr std::array<std::string_view, 3> kProcessNameKeys{"process.executable.name", "process.name", "process"};
constexpr std::array<std::string_view, 3> kThreadIdKeys{"thread.id", "tid", "thread_id"};
constexpr std::array<std::string_view, 4> kThreadNameKeys{"thread.name", "thread", "thread_name", "comm"};

std::string first_of(const Profile& profile, std::span<const LabelId> labels, std::span<const std::string_view> keys) {
  for (const std::string_view key : keys) {
    for (const LabelId id : labels) {
      const Label& label = profile.labels[id];
      if (profile.text(label.key) != key) continue;
      if (label.type == LabelType::Int) return std::to_string(label.number);
      if (label.type == LabelType::String && label.text != kNoString) return std::string(profile.text(label.text));
    }
  }
  return {};
}

}  // namespace

ThreadIdentity thread_of(const Profile& profile, LabelSetId set) {
  const auto labels = profile.label_sets[set];
  return {first_of(profile, labels, kProcessIdKeys), first_of(profile, labels, kProcessNameKeys),
          first_of(profile, labels, kThreadIdKeys), first_of(profile, labels, kThreadNameKeys)};
}

bool tells_thread(std::string_view label_key) {
  const auto has = [&](std::span<const std::string_view> keys) { return std::ranges::find(keys, label_key) != keys.end(); };
  return has(kProcessIdKeys) || has(kProcessNameKeys) || has(kThreadIdKeys) || has(kThreadNameKeys);
}

std::vector<ThreadGroup> group_by_thread(const Profile& profile) {
  constexpr uint32_t kUnknown = UINT32_MAX;
  std::vector<ThreadGroup> groups;
  std::vector<uint32_t> group_of_set(profile.label_sets.size(), kUnknown);
  std::map<ThreadIdentity, uint32_t> known;
  for (size_t row = 0; row < profile.samples.size(); ++row) {
    const LabelSetId set = profile.samples.labels(row);
    uint32_t& group = group_of_set[raw(set)];
    if (group == kUnknown) {
      const ThreadIdentity thread = thread_of(profile, set);
      const auto [found, is_new] = known.emplace(thread, static_cast<uint32_t>(groups.size()));
      if (is_new) groups.push_back({thread, {}});
      group = found->second;
    }
    groups[group].rows.push_back(static_cast<uint32_t>(row));
  }
  if (groups.empty()) groups.emplace_back();
  return groups;
}

}  // namespace atys::format
