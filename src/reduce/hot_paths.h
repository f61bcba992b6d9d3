// SPDX-License-Identifier: Apache-2.0
// Whole call paths by function, the costliest first: the forms `paths` and `raw`. Of a run that did one thing after another,
// what was hot in which phase of it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "reduce/code_origins.h"
#include "reduce/form_rows.h"

namespace atys::reduce {

std::vector<RawStack> hot_paths(const Profile& profile, size_t column, const CodeOrigins& code);

// A part of the run, in Unix time.
struct PhaseTimes {
  int64_t from_ns = 0;
  int64_t to_ns = 0;
};

// The same by phases, which are in order of time; `phases` may be empty. Samples without a time are of none.
PathRows hot_paths_by_phase(const Profile& profile, size_t column, const CodeOrigins& code,
                            std::span<const PhaseTimes> phases);

// Appends the functions of a sample's stack, innermost first, those that were inlined too.
void add_path(const Profile& profile, size_t row, const Attribution& attribution, std::vector<EntityId>& leaf_first);

}  // namespace atys::reduce
