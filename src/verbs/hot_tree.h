// SPDX-License-Identifier: Apache-2.0
// A call tree cut to its most important nodes: the summary form `tree`. Nodes are chosen costliest first, each after its
// parent, so whatever number is kept is a tree; calls of a function by itself are folded into one node.
#pragma once

#include <vector>

#include "verbs/summary.h"

namespace atys::verbs {

struct HotTree {
  std::vector<SummaryRow> rows;  // at most as many as asked for, in the order of choice
  size_t nodes = 0;              // of the whole tree
};

HotTree hot_tree(const ViewedProfile& viewed, size_t most);

// From the order of choice to the order of reading: each node after its parent, callees by cost.
void order_as_tree(std::vector<SummaryRow>& rows);

// Which share of the value has its leaf among the nodes.
double hot_tree_covered_percent(const std::vector<SummaryRow>& rows);

}  // namespace atys::verbs
