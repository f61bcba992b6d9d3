// SPDX-License-Identifier: Apache-2.0
#include "capture/recorded_samples.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

namespace atys::capture {

namespace {

// What one runtime recorded, and what of the native samples it stands for.
struct Told {
  const OwnProfile* own = nullptr;
  std::map<pid_t, OwnSum> sums;
  OwnWeights weights;
  std::map<pid_t, double> before;  // what native samples of the time before are to be multiplied with
  bool tells_others = false;       // its samples of threads whose account is not known stand for all such threads

  bool tells(pid_t thread) const {
    if (const auto found = sums.find(thread); found != sums.end() && found->second.weight > 0) return true;
    return tells_others && !own->times.threads.contains(thread);
  }
};

// Who wakes a thread is counted with the time that was waited for it: that is no time of its own.
bool is_waker(const native::StackCollector& collector, const native::Slot& slot) {
  return collector.note(slot.note) == native::kWakerNote;
}

native::SlotValue before_of(const OwnProfile& own, size_t slot) {
  const auto found = own.before.find(slot);
  return found == own.before.end() ? native::SlotValue{} : found->second;
}

// What the native kernel counted for its threads since it stands for them.
std::map<pid_t, int64_t> native_weights(const native::StackCollector& collector, const OwnProfile& own) {
  std::map<pid_t, int64_t> weights;
  const auto slots = collector.slots();
  for (size_t i = 1; i < slots.size(); ++i) {
    const native::ThreadKey& thread = collector.thread(slots[i].thread);
    if (!own.covers(thread.pid, thread.tid) || is_waker(collector, slots[i])) continue;
    const uint64_t weight = collector.value(i).weight;
    weights[thread.tid] += static_cast<int64_t>(weight - std::min(weight, before_of(own, i).weight));
  }
  return weights;
}

// Few samples say little about how much: the account of that time does.
std::map<pid_t, double> scales_before(const native::StackCollector& collector, const OwnProfile& own,
                                      std::string_view weight_type) {
  std::map<pid_t, double> sums;
  for (const auto& [slot, value] : own.before)
    if (const native::Slot& row = collector.slots()[slot]; !is_waker(collector, row))
      sums[collector.thread(row.thread).tid] += static_cast<double>(value.weight);
  std::map<pid_t, double> scales;
  for (const auto& [thread, sum] : sums)
    if (const auto account = account_of(thread, weight_type, own.times_before); account && sum > 0)
      scales[thread] = static_cast<double>(*account) / sum;
  return scales;
}

Told told_by(const native::StackCollector& collector, const OwnProfile& own, const OwnColumns& columns) {
  Told told{.own = &own, .sums = sums_by_thread(own.profile, columns), .weights = {}};
  told.before = scales_before(collector, own, columns.weight);
  told.weights = weigh(told.sums, columns.weight, own.times, native_weights(collector, own));
  told.tells_others = told.weights.others && std::ranges::any_of(told.sums, [&](const auto& one) {
                        return one.second.weight > 0 && !told.weights.threads.contains(one.first);
                      });
  return told;
}

// By process: there are many slots.
class AllTold {
 public:
  AllTold(const native::StackCollector& collector, const std::vector<OwnProfile>& own, const OwnColumns& columns,
          bool has_waits)
      : collector_(collector), has_waits_(has_waits) {
    for (const OwnProfile& one : own) by_pid_.emplace(one.pid, told_by(collector, one, columns));
  }

  const Told* of(pid_t pid) const {
    const auto found = by_pid_.find(pid);
    return found == by_pid_.end() ? nullptr : &found->second;
  }

  std::optional<native::SlotValue> what_stays(size_t slot) const {
    const native::Slot& row = collector_.slots()[slot];
    const native::ThreadKey& thread = collector_.thread(row.thread);
    const Told* told = of(thread.pid);
    if (told == nullptr) return {};
    // What they compute is done in the process and counts; that they wait does not.
    if (has_waits_ && std::ranges::count(told->own->made, thread.tid) > 0) return native::SlotValue{};
    if (!told->own->covers(thread.pid, thread.tid) || !told->tells(thread.tid)) return {};
    // Whom it woke no runtime tells.
    if (is_waker(collector_, row) && !collector_.stack(row.stack).empty()) return {};
    native::SlotValue stays = before_of(*told->own, slot);
    if (const auto scale = told->before.find(thread.tid); scale != told->before.end())
      stays.weight = static_cast<uint64_t>(std::llround(static_cast<double>(stays.weight) * scale->second));
    return stays;
  }

  // Samples of which nobody has a stack: it was left to the runtime.
  uint64_t without_stack(const OwnProfile& own) const {
    if (!own.is_only_source) return 0;
    uint64_t count = 0;
    const auto slots = collector_.slots();
    for (size_t i = 1; i < slots.size(); ++i)
      if (collector_.thread(slots[i].thread).pid == own.pid && collector_.stack(slots[i].stack).empty() &&
          !is_waker(collector_, slots[i]))
        count += what_stays(i).value_or(collector_.value(i)).samples;
    return count;
  }

 private:
  const native::StackCollector& collector_;
  bool has_waits_;
  std::unordered_map<pid_t, Told> by_pid_;
};

SampledWhat what_of(const native::StackCollector& collector, const native::Slot& slot, bool is_event) {
  if (is_event) return SampledWhat::Event;
  if (slot.note == 0) return SampledWhat::Cpu;
  return is_waker(collector, slot) ? SampledWhat::Waker : SampledWhat::Wait;
}

// By slot.
std::vector<double> factors_of(const native::StackCollector& collector, const CountedTime& counted, bool is_event) {
  std::vector<SampledTime> sampled(collector.slots().size());
  for (size_t i = 1; i < sampled.size(); ++i) {
    const native::Slot& slot = collector.slots()[i];
    const native::ThreadKey& thread = collector.thread(slot.thread);
    sampled[i] = {thread.pid, thread.tid, what_of(collector, slot, is_event), collector.value(i).samples,
                  collector.value(i).weight};
  }
  return true_factors(sampled, counted);
}

}  // namespace

void add_recorded_samples(const native::StackCollector& collector, native::CodeModules& modules,
                          const std::vector<OwnProfile>& own, const CountedTime& counted, const native::ValueNames& names,
                          const RecordingPlan& plan, Profile& profile) {
  const OwnColumns columns{names.count_type, names.weight_type};
  const AllTold told(collector, own, columns, names.has_waits);
  native::ProfileBuilder builder(collector, modules);
  builder.leave_out([&](size_t slot) { return told.what_stays(slot); });
  builder.prune_by(plan.pruning);
  builder.scale_by(factors_of(collector, counted, counted.events.has_value()));
  builder.tell_phases(plan.tells_phases);
  builder.tell_times(plan.keeps_times);
  builder.spare_debug_files(plan.is_one_of_several);
  builder.build(names, profile);
  for (const OwnProfile& one : own) {
    add_own_profile(one, told.of(one.pid)->weights, columns, profile);
    if (const uint64_t count = told.without_stack(one); count > 0)
      profile.add_loss("stacks that a runtime was to record and did not hand over", count);
  }
}

}  // namespace atys::capture
