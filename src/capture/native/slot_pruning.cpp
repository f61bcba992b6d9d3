// SPDX-License-Identifier: Apache-2.0
#include "capture/native/slot_pruning.h"

#include <fmt/format.h>

namespace atys::capture::native {

namespace {

SlotPruning by_thread(const StackCollector& collector, double share) {
  const auto slots = collector.slots();
  std::vector<adapt::Unit> threads;
  for (size_t i = 1; i < slots.size(); ++i) {
    if (collector.value(i).samples == 0) continue;
    const size_t thread = profile::raw(slots[i].thread);
    if (thread >= threads.size()) threads.resize(thread + 1);
    threads[thread].key = thread;
    threads[thread].samples += static_cast<double>(collector.value(i).weight);
  }
  std::erase_if(threads, [](const adapt::Unit& thread) { return thread.samples == 0; });
  const adapt::Pruning pruning = adapt::keep_largest(threads, share);
  std::vector<bool> stays(collector.slots().size() + 1);  // by thread: there are no more threads than slots
  for (const adapt::Pruning::Kept& kept : pruning.kept) stays[kept.key] = true;
  SlotPruning result{.dropped = pruning.dropped, .error_bound = pruning.error_bound};
  result.weights.assign(slots.size(), 0);
  for (size_t i = 1; i < slots.size(); ++i) result.weights[i] = stays[profile::raw(slots[i].thread)] ? 1 : 0;
  return result;
}

SlotPruning by_stack(const StackCollector& collector, double error, const std::function<uint64_t(size_t)>& leaf_of) {
  const auto slots = collector.slots();
  std::vector<adapt::Unit> units;
  for (size_t i = 1; i < slots.size(); ++i)
    if (collector.value(i).samples > 0) units.push_back({i, static_cast<double>(collector.value(i).weight), leaf_of(i)});
  const adapt::Pruning pruning = adapt::thin_smallest(units, error, units.size());
  SlotPruning result{.others_stand_for_them = true, .dropped = pruning.dropped, .error_bound = pruning.error_bound};
  result.weights.assign(slots.size(), 0);
  for (const adapt::Pruning::Kept& kept : pruning.kept) result.weights[kept.key] = kept.weight;
  return result;
}

}  // namespace

SlotPruning prune_slots(const StackCollector& collector, const adapt::PruningRule& rule,
                        const std::function<uint64_t(size_t)>& leaf_of) {
  switch (rule.kind) {
    case adapt::PruningRule::Kind::None: return {};
    case adapt::PruningRule::Kind::Threads: return by_thread(collector, rule.value);
    case adapt::PruningRule::Kind::MaxError: return by_stack(collector, rule.value, leaf_of);
  }
  return {};
}

void describe(const SlotPruning& pruning, Profile& profile) {
  profile.add_fact("pruned", fmt::format("{} {}", pruning.dropped, pruning.others_stand_for_them ? "stacks" : "threads"));
  profile.add_fact("pruning-error-bound", fmt::format("{:.6f}", pruning.error_bound));
}

}  // namespace atys::capture::native
