// SPDX-License-Identifier: Apache-2.0
// Which part of what was collected belongs to which phase of the run (adapt/phases.h), by counts alone.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "capture/native/stack_collector.h"

namespace atys::capture::native {

struct SlotPhase {
  int64_t from_ns = 0;    // Unix time
  size_t first_part = 0;  // of the collector's
  size_t end_part = 0;
};

// Empty: the run had none. `function_of` tells apart what slots do; nothing: the slot does not count.
std::vector<SlotPhase> find_slot_phases(const StackCollector& collector,
                                        const std::function<std::optional<uint64_t>(size_t)>& function_of);

SlotValue value_in(const StackCollector& collector, size_t slot, const SlotPhase& phase);

}  // namespace atys::capture::native
