// SPDX-License-Identifier: Apache-2.0
#include "verbs/hot_tree.h"

#include <algorithm>
#include <map>
#include <queue>
#include <unordered_map>

#include "reduce/attribution.h"

namespace atys::verbs {

using namespace profile;
using reduce::EntityId;

namespace {

struct Node {
  EntityId entity{};
  uint32_t parent = 0;
  size_t depth = 0;
  double self = 0;
  double total = 0;
  size_t recursion = 0;
};

// The tree by function, direct recursion folded. Node 0 is the root, of no function.
class CallTree {
 public:
  explicit CallTree(const ViewedProfile& viewed) : attribution_(viewed.loaded.profile, {}), nodes_(1) {
    const Profile& profile = viewed.loaded.profile;
    for (size_t row = 0; row < profile.samples.size(); ++row) {
      add(profile.stacks[profile.samples.stack(row)], static_cast<double>(profile.samples.value(row, viewed.column)));
    }
  }

  const std::vector<Node>& nodes() const { return nodes_; }
  const reduce::Entity& entity(const Node& node) const { return attribution_.entities()[static_cast<size_t>(node.entity)]; }

 private:
  void add(std::span<const FrameId> leaf_first, double value) {
    uint32_t at = 0;
    size_t folded = 0;
    nodes_[0].total += value;
    for (size_t i = leaf_first.size(); i-- > 0;) {
      const auto inlined = attribution_.of_frame(leaf_first[i]);
      for (size_t j = inlined.size(); j-- > 0;) {
        if (at != 0 && nodes_[at].entity == inlined[j]) {
          nodes_[at].recursion = std::max(nodes_[at].recursion, ++folded);
          continue;
        }
        folded = 0;
        at = child(at, inlined[j]);
        nodes_[at].total += value;
      }
    }
    nodes_[at].self += value;
  }

  uint32_t child(uint32_t parent, EntityId entity) {
    const uint64_t key = uint64_t{parent} << 32 | static_cast<uint32_t>(entity);
    const auto [found, is_new] = children_.try_emplace(key, static_cast<uint32_t>(nodes_.size()));
    if (is_new) nodes_.push_back({entity, parent, nodes_[parent].depth + 1});
    return found->second;
  }

  reduce::Attribution attribution_;
  std::vector<Node> nodes_;
  std::unordered_map<uint64_t, uint32_t> children_;
};

// The names from the root down to a node, which also tell it from its namesakes elsewhere in the tree.
std::vector<std::string> path_of(const CallTree& tree, uint32_t at) {
  std::vector<std::string> path;
  for (; at != 0; at = tree.nodes()[at].parent) path.push_back(tree.entity(tree.nodes()[at]).name);
  std::ranges::reverse(path);
  return path;
}

}  // namespace

HotTree hot_tree(const ViewedProfile& viewed, size_t most) {
  const CallTree tree(viewed);
  const auto& nodes = tree.nodes();
  std::vector<std::vector<uint32_t>> children(nodes.size());
  for (uint32_t i = 1; i < nodes.size(); ++i) children[nodes[i].parent].push_back(i);

  const auto is_cheaper = [&](uint32_t a, uint32_t b) {
    return nodes[a].total != nodes[b].total ? nodes[a].total < nodes[b].total : a > b;
  };
  std::priority_queue<uint32_t, std::vector<uint32_t>, decltype(is_cheaper)> open(is_cheaper);
  for (const uint32_t child : children[0]) open.push(child);

  const double sum = nodes[0].total;
  const double samples = reduce::effective_samples(viewed.loaded.profile, viewed.column);
  HotTree result{{}, nodes.size() - 1};
  std::vector<SummaryRow>& rows = result.rows;
  while (!open.empty() && rows.size() < most) {
    const uint32_t at = open.top();
    open.pop();
    for (const uint32_t child : children[at]) open.push(child);
    const double share = sum == 0 ? 0 : nodes[at].total / sum;
    const reduce::Interval interval = reduce::share_interval(share, samples);
    rows.push_back({.entity = tree.entity(nodes[at]),
                    .self = nodes[at].self,
                    .self_percent = sum == 0 ? 0 : nodes[at].self / sum * 100,
                    .total = nodes[at].total,
                    .total_percent = share * 100,
                    .ci95 = {interval.low * 100, interval.high * 100},
                    .path = path_of(tree, at),
                    .depth = nodes[at].depth - 1,
                    .recursion = nodes[at].recursion});
  }
  return result;
}

void order_as_tree(std::vector<SummaryRow>& rows) {
  // A node's place is told by the places, in order of choice, of its ancestors: costlier siblings were chosen first.
  std::map<std::vector<std::string>, size_t> chosen;
  std::vector<std::vector<size_t>> places(rows.size());
  for (size_t i = 0; i < rows.size(); ++i) {
    std::vector<std::string> parent = rows[i].path;
    if (!parent.empty()) parent.pop_back();
    const auto found = chosen.find(parent);
    if (found != chosen.end()) places[i] = places[found->second];
    places[i].push_back(i);
    chosen.emplace(rows[i].path, i);
  }
  std::vector<size_t> order(rows.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::sort(order, [&](size_t a, size_t b) { return places[a] < places[b]; });
  std::vector<SummaryRow> sorted;
  for (const size_t i : order) sorted.push_back(std::move(rows[i]));
  rows = std::move(sorted);
}

double hot_tree_covered_percent(const std::vector<SummaryRow>& rows) {
  double percent = 0;
  for (const SummaryRow& row : rows) percent += row.self_percent;
  return percent;
}

}  // namespace atys::verbs
