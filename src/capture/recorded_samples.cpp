// SPDX-License-Identifier: Apache-2.0
#include "capture/recorded_samples.h"

#include <algorithm>
#include <iterator>

namespace atys::capture {

namespace {

// What the native kernel counted for the threads of each.
std::vector<int64_t> native_weights(const native::StackCollector& collector, const std::vector<OwnProfile>& own) {
  std::vector<int64_t> weights(own.size());
  const auto slots = collector.slots();
  for (size_t i = 1; i < slots.size(); ++i)
    for (size_t k = 0; k < own.size(); ++k) {
      const native::ThreadKey& thread = collector.thread(slots[i].thread);
      if (own[k].covers(thread.pid, thread.tid)) weights[k] += static_cast<int64_t>(collector.value(i).weight);
    }
  return weights;
}

uint64_t samples_without_stack(const native::StackCollector& collector, pid_t pid) {
  uint64_t count = 0;
  const auto slots = collector.slots();
  for (size_t i = 1; i < slots.size(); ++i)
    if (collector.thread(slots[i].thread).pid == pid && collector.stack(slots[i].stack).empty())
      count += collector.value(i).samples;
  return count;
}

}  // namespace

void add_recorded_samples(const native::StackCollector& collector, native::CodeModules& modules, std::vector<OwnProfile> own,
                          const native::ValueNames& names, const RecordingPlan& plan, Profile& profile) {
  const OwnColumns columns{names.count_type, names.weight_type};
  const auto empty = std::stable_partition(own.begin(), own.end(),
                                           [&](const OwnProfile& one) { return one.has_samples(names.weight_type); });
  const std::vector<OwnProfile> without_samples(std::make_move_iterator(empty), std::make_move_iterator(own.end()));
  own.erase(empty, own.end());
  native::ProfileBuilder builder(collector, modules);
  builder.leave_out([&own](const native::ThreadKey& thread) {
    return std::ranges::any_of(own, [&](const OwnProfile& one) { return one.covers(thread.pid, thread.tid); });
  });
  builder.prune_by(plan.pruning);
  builder.tell_phases(plan.tells_phases);
  builder.tell_times(plan.keeps_times);
  builder.spare_debug_files(plan.is_one_of_several);
  builder.build(names, profile);
  const std::vector<int64_t> weights = native_weights(collector, own);
  for (size_t k = 0; k < own.size(); ++k) add_own_profile(own[k], weights[k], columns, profile);
  for (const OwnProfile& one : without_samples) {
    add_own_profile(one, 0, columns, profile);
    if (const uint64_t count = one.is_only_source ? samples_without_stack(collector, one.pid) : 0; count > 0)
      profile.add_loss("stacks that a runtime was to record and did not hand over", count);
  }
}

}  // namespace atys::capture
