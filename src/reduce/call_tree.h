// SPDX-License-Identifier: Apache-2.0
// The calls of a profile as a tree of functions, of which some are not shown: what those cost is charged to who called
// them. A function occurs once on each way from the root: a call of one that is already on the way, of itself or through
// others, goes back to that node.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "reduce/attribution.h"

namespace atys::reduce {

struct CallNode {
  EntityId entity{};
  uint32_t parent = 0;
  size_t depth = 0;  // the root, which is no function, has 0
  double self = 0;   // of samples whose innermost function shown this is
  double total = 0;
  size_t recursion = 0;  // the most calls that went back to this node in one stack
};

class CallTree {
 public:
  using IsShown = std::function<bool(EntityId)>;
  // `attribution` is by function and outlives the tree.
  CallTree(const Profile& profile, size_t column, const Attribution& attribution, const IsShown& is_shown);

  const std::vector<CallNode>& nodes() const { return nodes_; }  // parents before their children
  const Entity& entity(const CallNode& node) const { return attribution_.entities()[static_cast<size_t>(node.entity)]; }
  std::vector<std::vector<uint32_t>> children() const;
  // The names from the root down to a node, which also tell it from its namesakes elsewhere in the tree.
  std::vector<std::string> path_of(uint32_t at) const;

 private:
  void add(std::span<const profile::FrameId> leaf_first, double value, const IsShown& is_shown);
  void enter(EntityId entity, double value);
  uint32_t child(uint32_t parent, EntityId entity);

  const Attribution& attribution_;
  std::vector<CallNode> nodes_;
  std::unordered_map<uint64_t, uint32_t> children_;

  // Of the sample being added.
  std::vector<uint32_t> way_;           // nodes from the root on
  std::vector<uint32_t> place_on_way_;  // by entity: where on the way it would be
  std::vector<size_t> counted_in_;      // by node: the last sample that was added to its total
  std::vector<size_t> returns_;         // by place on the way: how often the stack went back there
  size_t sample_ = 0;
};

}  // namespace atys::reduce
