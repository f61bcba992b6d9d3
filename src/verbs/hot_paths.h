// SPDX-License-Identifier: Apache-2.0
// Whole call paths by function, the costliest first: the summary forms `paths` and `raw`.
#pragma once

#include <vector>

#include "reduce/code_origins.h"
#include "verbs/summary.h"

namespace atys::verbs {

std::vector<SummaryRow> hot_paths(const ViewedProfile& viewed, const reduce::CodeOrigins& code);

}  // namespace atys::verbs
