// SPDX-License-Identifier: Apache-2.0
// The call tree behind a flame graph: the stacks of a profile, added up by function along the way from root to leaf. A frame
// with inlined functions becomes one node for each of them. Two profiles to be compared share one tree.
//
// Nodes lie in one array in preorder, so a parent comes before its children and a subtree is one run; nothing here recurses,
// and stacks may be as deep as they like. Sums are modular, as in the sample table. Invariants, for every node:
//   1. total = self + the totals of its children
//   2. the root's total = the sum of the value column
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "profile/profile.h"
#include "reduce/flame_functions.h"

namespace atys::reduce {

struct FlameNode {
  static constexpr uint32_t kNone = UINT32_MAX;

  FlameFunctionId function{};
  uint32_t depth = 0;  // of the root: 0
  uint32_t parent = kNone;
  uint32_t first_child = kNone;
  uint32_t next_sibling = kNone;
  int64_t total = 0;  // of all inputs
  int64_t self = 0;
};

enum class FlameOrder { ByTotal, ByName };  // of siblings: largest first, or alphabetic

struct FlameOptions {
  std::optional<size_t> value_column = {};  // default: the profile's own default
  bool inverted = false;                    // leaf functions under the root, their callers below them
  FlameOrder order = FlameOrder::ByTotal;
  double fold_below = 0;          // nodes with a smaller share of the whole are folded into a sibling "(other)"; 0: none are
  size_t most_nodes = SIZE_MAX;   // if there are more, as many of the smallest are folded as it takes
  bool keep_zero_stacks = false;  // also stacks that are worth nothing in this column, for those who want other columns too
};

// A profile that goes into a tree, and the column of it that counts.
struct FlameInput {
  const Profile* profile = nullptr;
  size_t column = 0;
};

struct FlameTree {
  profile::StringTable strings;
  FlameFunctions functions;
  std::vector<FlameNode> nodes;  // never empty: [0] is the root
  // Where the value of a stack went (as `self`), by input and StackId; kNone: nowhere. With this the same tree holds any
  // column.
  std::vector<std::vector<uint32_t>> node_of_stack;
  size_t folded = 0;  // nodes that are not here but in an "(other)"
  FlameFunctionId other = kFlameRoot;

  const FlameFunction& function(const FlameNode& node) const { return functions[node.function]; }
  std::string_view name(const FlameNode& node) const { return strings.view(function(node).name); }
};

FlameTree build_flame_tree(const Profile& profile, const FlameOptions& options = {});

// Of several profiles that call the same functions the same: see common_names.h. `options.value_column` is not used.
FlameTree build_flame_tree(std::span<const FlameInput> inputs, const FlameOptions& options);

// The value of each node itself in any column of one of the inputs.
std::vector<int64_t> flame_self(const FlameTree& tree, size_t input, const Profile& profile, size_t column);
// From that, with everything below.
std::vector<int64_t> flame_totals(const FlameTree& tree, std::vector<int64_t> self);

// How wide to draw each node: the sum of |self| below it, which is its total unless there are negative values. Children are
// never wider than their parent, whatever the values.
std::vector<double> flame_widths(const FlameTree& tree);
std::vector<double> flame_widths(const FlameTree& tree, std::vector<double> self);

}  // namespace atys::reduce
