// SPDX-License-Identifier: Apache-2.0
// Which lines the frames of a flame tree were at. A node is a function, wherever in it the calls were made; its places are
// those calls told apart by line, and by the places that they were called from. So a place is one stack of lines, and values
// kept by place give the lines of any node, of whichever samples one looks at.
#pragma once

#include <cstdint>
#include <vector>

#include "reduce/flame_tree.h"

namespace atys::reduce {

struct FlamePlace {
  uint32_t node = 0;
  uint32_t parent = FlameNode::kNone;  // the place that it was called from; the root has none
  int64_t line = 0;                    // 0: not known
};

struct FlameLines {
  // In the order of their nodes; those of a node by parent, then by line. Every node has one, so a tree without lines has
  // as many places as nodes.
  std::vector<FlamePlace> places;
  std::vector<std::vector<uint32_t>> place_of_stack;  // by input and StackId, as FlameTree::node_of_stack
  bool has_lines = false;
};

// For trees that are not inverted. `most_places`: if there would be more, lines are left out.
FlameLines find_flame_lines(const FlameTree& tree, std::span<const FlameInput> inputs, size_t most_places = SIZE_MAX);

}  // namespace atys::reduce
