// SPDX-License-Identifier: Apache-2.0
// Whole call paths by function, the costliest first: the summary forms `paths` and `raw`.
#pragma once

#include <vector>

#include "verbs/summary.h"

namespace atys::verbs {

std::vector<SummaryRow> hot_paths(const ViewedProfile& viewed);

}  // namespace atys::verbs
