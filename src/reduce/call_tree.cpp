// SPDX-License-Identifier: Apache-2.0
#include "reduce/call_tree.h"

#include <algorithm>

namespace atys::reduce {

using namespace profile;

CallTree::CallTree(const Profile& profile, size_t column, const Attribution& attribution, const IsShown& is_shown)
    : attribution_(attribution), nodes_(1), place_on_way_(attribution.entities().size()), counted_in_(1) {
  for (size_t row = 0; row < profile.samples.size(); ++row) {
    add(profile.stacks[profile.samples.stack(row)], static_cast<double>(profile.samples.value(row, column)), is_shown);
  }
}

void CallTree::add(std::span<const FrameId> leaf_first, double value, const IsShown& is_shown) {
  ++sample_;
  way_.assign(1, 0);
  returns_.assign(1, 0);
  nodes_[0].total += value;
  for (size_t i = leaf_first.size(); i-- > 0;) {
    const auto inlined = attribution_.of_frame(leaf_first[i]);
    for (size_t j = inlined.size(); j-- > 0;) {
      if (is_shown(inlined[j])) enter(inlined[j], value);
    }
  }
  nodes_[way_.back()].self += value;
}

void CallTree::enter(EntityId entity, double value) {
  uint32_t& place = place_on_way_[static_cast<size_t>(entity)];
  if (place > 0 && place < way_.size() && nodes_[way_[place]].entity == entity) {
    way_.resize(place + 1);
    returns_.resize(place + 1);
    CallNode& node = nodes_[way_.back()];
    node.recursion = std::max(node.recursion, ++returns_.back());
    return;
  }
  place = static_cast<uint32_t>(way_.size());
  const uint32_t node = child(way_.back(), entity);
  way_.push_back(node);
  returns_.push_back(0);
  if (std::exchange(counted_in_[node], sample_) != sample_) nodes_[node].total += value;
}

uint32_t CallTree::child(uint32_t parent, EntityId entity) {
  const uint64_t key = uint64_t{parent} << 32 | static_cast<uint32_t>(entity);
  const auto [found, is_new] = children_.try_emplace(key, static_cast<uint32_t>(nodes_.size()));
  if (is_new) {
    nodes_.push_back({entity, parent, nodes_[parent].depth + 1});
    counted_in_.push_back(0);
  }
  return found->second;
}

std::vector<std::vector<uint32_t>> CallTree::children() const {
  std::vector<std::vector<uint32_t>> children(nodes_.size());
  for (uint32_t i = 1; i < nodes_.size(); ++i) children[nodes_[i].parent].push_back(i);
  return children;
}

std::vector<std::string> CallTree::path_of(uint32_t at) const {
  std::vector<std::string> path;
  for (; at != 0; at = nodes_[at].parent) path.push_back(entity(nodes_[at]).name);
  std::ranges::reverse(path);
  return path;
}

}  // namespace atys::reduce
