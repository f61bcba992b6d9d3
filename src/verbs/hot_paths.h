// SPDX-License-Identifier: Apache-2.0
// Whole call paths by function, the costliest first: the summary forms `paths` and `raw`. Of a run that did one thing after
// another, what was hot in which phase of it.
#pragma once

#include <vector>

#include "reduce/code_origins.h"
#include "verbs/summary.h"

namespace atys::verbs {

std::vector<SummaryRow> hot_paths(const ViewedProfile& viewed, const reduce::CodeOrigins& code);

struct PhasedPaths {
  std::vector<SummaryPhase> phases;  // fewer than two: none
  std::vector<SummaryRow> rows;      // by phase, the costliest of each first; ranked
};

// The same by phases, where samples have times.
PhasedPaths hot_paths_by_phase(const ViewedProfile& viewed, const reduce::CodeOrigins& code);

}  // namespace atys::verbs
