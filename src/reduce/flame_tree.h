// SPDX-License-Identifier: Apache-2.0
// The call tree behind a flame graph: the stacks of a profile, added up by function along the way from root to leaf. A frame
// with inlined functions becomes one node for each of them.
//
// Nodes lie in one array in preorder, so a parent comes before its children and a subtree is one run; nothing here recurses,
// and stacks may be as deep as they like. Sums are modular, as in the sample table. Invariants, for every node:
//   1. total = self + the totals of its children
//   2. the root's total = the sum of the value column
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "profile/profile.h"

namespace atys::reduce {

// What makes two calls the same node under one parent. The ids are into the tree's own string table.
struct FlameFunction {
  profile::StringId name{};
  profile::StringId file{};
  profile::StringId kind{};    // of the frame: kernel, native, jvm …
  profile::StringId module{};  // file name of the mapping
  bool is_inlined = false;     // into its parent

  bool operator==(const FlameFunction&) const = default;
};

enum class FlameFunctionId : uint32_t {};
inline constexpr FlameFunctionId kFlameRoot{0};  // the function of the root: everything, has no name

uint64_t hash(const FlameFunction& function);

struct FlameNode {
  static constexpr uint32_t kNone = UINT32_MAX;

  FlameFunctionId function{};
  uint32_t depth = 0;  // of the root: 0
  uint32_t parent = kNone;
  uint32_t first_child = kNone;
  uint32_t next_sibling = kNone;
  int64_t total = 0;
  int64_t self = 0;
};

enum class FlameOrder { ByTotal, ByName };  // of siblings: largest first, or alphabetic

struct FlameOptions {
  std::optional<size_t> value_column = {};  // default: the profile's own default
  bool inverted = false;                    // leaf functions under the root, their callers below them
  FlameOrder order = FlameOrder::ByTotal;
  double fold_below = 0;          // nodes with a smaller share of the whole are folded into a sibling "(other)"; 0: none are
  bool keep_zero_stacks = false;  // also stacks that are worth nothing in this column, for those who want other columns too
};

struct FlameTree {
  profile::StringTable strings;
  profile::RowTable<FlameFunction, FlameFunctionId> functions;
  std::vector<FlameNode> nodes;  // never empty: [0] is the root
  // Where the value of a stack went (as `self`), by StackId; kNone: nowhere. With this the same tree holds any column.
  std::vector<uint32_t> node_of_stack;

  const FlameFunction& function(const FlameNode& node) const { return functions[node.function]; }
  std::string_view name(const FlameNode& node) const { return strings.view(function(node).name); }
};

FlameTree build_flame_tree(const Profile& profile, const FlameOptions& options = {});

// How wide to draw each node: the sum of |self| below it, which is its total unless there are negative values. Children are
// never wider than their parent, whatever the values.
std::vector<double> flame_widths(const FlameTree& tree);

}  // namespace atys::reduce
