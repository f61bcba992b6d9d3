// SPDX-License-Identifier: Apache-2.0
#include "capture/native/slot_phases.h"

#include <algorithm>
#include <unordered_map>

#include "adapt/phases.h"

namespace atys::capture::native {

namespace {

SlotValue value_before(const StackCollector& collector, size_t slot, size_t part) {
  const auto& parts = collector.parts();
  if (part >= parts.size()) return collector.value(slot);
  return slot < parts[part].before.size() ? parts[part].before[slot] : SlotValue{};
}

SlotValue between(const StackCollector& collector, size_t slot, size_t first_part, size_t end_part) {
  const SlotValue from = value_before(collector, slot, first_part);
  const SlotValue to = value_before(collector, slot, end_part);
  return {to.samples - from.samples, to.weight - from.weight};
}

}  // namespace

std::vector<SlotPhase> find_slot_phases(const StackCollector& collector,
                                        const std::function<std::optional<uint64_t>(size_t)>& function_of) {
  const auto& parts = collector.parts();
  std::vector<adapt::TimedSample> timed;
  std::unordered_map<uint64_t, uint32_t> numbers;
  double samples = 0;
  for (size_t slot = 1; parts.size() > 1 && slot < collector.slots().size(); ++slot) {
    const auto function = collector.value(slot).samples == 0 ? std::nullopt : function_of(slot);
    if (!function) continue;
    const uint32_t number = numbers.try_emplace(*function, static_cast<uint32_t>(numbers.size())).first->second;
    samples += static_cast<double>(collector.value(slot).samples);
    for (size_t part = 0; part < parts.size(); ++part)
      if (const SlotValue value = between(collector, slot, part, part + 1); value.weight > 0)
        timed.push_back({parts[part].from_ns, static_cast<double>(value.weight), number});
  }
  std::vector<SlotPhase> phases;
  for (const adapt::Phase& phase : adapt::find_phases(timed, samples)) {
    const auto first = std::ranges::lower_bound(parts, phase.from_ns, {}, &StackCollector::Part::from_ns) - parts.begin();
    if (!phases.empty()) phases.back().end_part = static_cast<size_t>(first);
    phases.push_back({phase.from_ns, static_cast<size_t>(first), parts.size()});
  }
  // Parts without a sample before the first are of it.
  if (!phases.empty()) phases.front().first_part = 0;
  return phases;
}

SlotValue value_in(const StackCollector& collector, size_t slot, const SlotPhase& phase) {
  return between(collector, slot, phase.first_part, phase.end_part);
}

}  // namespace atys::capture::native
