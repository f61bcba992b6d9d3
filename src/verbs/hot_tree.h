// SPDX-License-Identifier: Apache-2.0
// A call tree cut to its most important nodes: the summary form `tree`. Nodes are chosen costliest first, each after its
// parent, so whatever number is kept is a tree. Only the user's own code is shown; what other code costs is charged to who
// called it.
#pragma once

#include <vector>

#include "reduce/code_origins.h"
#include "reduce/sample_count.h"
#include "verbs/call_tree.h"
#include "verbs/summary.h"

namespace atys::verbs {

struct HotTree {
  std::vector<SummaryRow> rows;  // at most as many as asked for, in the order of reading; `rank` is the order of choice
  size_t nodes = 0;              // of the whole tree
};

HotTree hot_tree(const ViewedProfile& viewed, const reduce::CodeOrigins& code, size_t most);

// The same of any tree; `is_kept` may leave out nodes, whose children then take their place.
HotTree cut_tree(const CallTree& tree, const reduce::CodeOrigins& code, const reduce::SampleCount& samples, size_t most,
                 const std::function<bool(uint32_t)>& is_kept = {});

// Which share of the value has its innermost function shown among the nodes.
double hot_tree_covered_percent(const std::vector<SummaryRow>& rows);

}  // namespace atys::verbs
