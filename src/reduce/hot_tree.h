// SPDX-License-Identifier: Apache-2.0
// A call tree cut to its most important nodes: the form `tree`. Nodes are chosen costliest first, each after its
// parent, so whatever number is kept is a tree. Only the user's own code is shown; what other code costs is charged to who
// called it.
#pragma once

#include <functional>
#include <vector>

#include "reduce/call_tree.h"
#include "reduce/code_origins.h"
#include "reduce/form_rows.h"
#include "reduce/sample_count.h"

namespace atys::reduce {

struct HotTree {
  std::vector<TreeNode> rows;  // at most as many as asked for, in the order of reading; `rank` is the order of choice
  size_t nodes = 0;            // of the whole tree
};

HotTree hot_tree(const Profile& profile, size_t column, const CodeOrigins& code, size_t most);

// The same of any tree; `is_kept` may leave out nodes, whose children then take their place.
HotTree cut_tree(const CallTree& tree, const CodeOrigins& code, const SampleCount& samples, size_t most,
                 const std::function<bool(uint32_t)>& is_kept = {});

}  // namespace atys::reduce
