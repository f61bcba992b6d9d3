// SPDX-License-Identifier: Apache-2.0
// Makes a flame tree smaller: where nodes are too small to matter, all such children of one parent become one child that has
// no children itself.
#pragma once

#include "reduce/flame_tree.h"

namespace atys::reduce {

// For trees that are being built: nodes are in any order in which parents come before their children, not linked to
// siblings.
void fold(FlameTree& tree, const FlameOptions& options);

// Replaces nodes by their new positions everywhere; `position[old]`.
void follow(FlameTree& tree, const std::vector<uint32_t>& position);

}  // namespace atys::reduce
