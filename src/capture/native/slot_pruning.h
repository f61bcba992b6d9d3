// SPDX-License-Identifier: Apache-2.0
// Leaves out of a window what is not worth naming, by counts alone (adapt/pruning.h).
#pragma once

#include <functional>
#include <vector>

#include "adapt/pruning.h"
#include "capture/native/stack_collector.h"
#include "profile/profile.h"

namespace atys::capture::native {

struct SlotPruning {
  std::vector<double> weights;  // by slot: how many samples each of its samples stands for; 0: left out. Empty: all stay
  bool others_stand_for_them = false;  // else what was left out is one row of its own
  size_t dropped = 0;                  // slots, or threads
  double error_bound = 0;              // of any function's share
};

// By threads, or by stacks of threads, as the rule says. Stacks that end in the same function may stand for each other:
// `leaf_of` names it, by slot. The same window is always pruned in the same way.
SlotPruning prune_slots(const StackCollector& collector, const adapt::PruningRule& rule,
                        const std::function<uint64_t(size_t)>& leaf_of);

// As facts of the profile.
void describe(const SlotPruning& pruning, Profile& profile);

}  // namespace atys::capture::native
