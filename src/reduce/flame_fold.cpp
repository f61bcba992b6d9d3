// SPDX-License-Identifier: Apache-2.0
#include "reduce/flame_fold.h"

#include <algorithm>

namespace atys::reduce {

using namespace profile;

namespace {

constexpr uint32_t kNone = FlameNode::kNone;

int64_t add(int64_t a, int64_t b) { return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b)); }

// Which nodes stay: no node is wider than its parent, so what is above a node that stays, stays.
class Keeper {
 public:
  Keeper(const std::vector<double>& widths, const FlameOptions& options) : widths_(widths) {
    least_ = options.fold_below > 0 ? widths[0] * options.fold_below : 0;
    if (widths.size() <= options.most_nodes) return;
    // Each that stays may get a sibling for those that do not.
    const size_t most = std::max<size_t>(options.most_nodes / 2, 1);
    std::vector<double> sorted = widths;
    std::ranges::nth_element(sorted, sorted.begin() + static_cast<ptrdiff_t>(most), std::greater{});
    if (sorted[most] < least_) return;
    least_ = sorted[most];
    const auto wider = static_cast<size_t>(std::ranges::count_if(widths, [&](double width) { return width > least_; }));
    equals_left_ = most - std::min(most, wider);
  }

  // Asked of each node once, in order: of those that are just wide enough the first stay.
  bool stays(uint32_t node) {
    if (widths_[node] > least_) return true;
    if (widths_[node] < least_ || equals_left_ == 0) return false;
    --equals_left_;
    return true;
  }

 private:
  const std::vector<double>& widths_;
  double least_ = 0;
  size_t equals_left_ = SIZE_MAX;
};

}  // namespace

void follow(FlameTree& tree, const std::vector<uint32_t>& position) {
  for (FlameNode& node : tree.nodes) {
    if (node.parent != kNone) node.parent = position[node.parent];
  }
  for (std::vector<uint32_t>& nodes : tree.node_of_stack) {
    for (uint32_t& node : nodes) {
      if (node != kNone) node = position[node];
    }
  }
}

void fold(FlameTree& tree, const FlameOptions& options) {
  if (options.fold_below <= 0 && tree.nodes.size() <= options.most_nodes) return;
  const std::vector<double> widths = flame_widths(tree);
  Keeper keeper(widths, options);
  tree.other = tree.functions.intern({.name = tree.strings.intern("(other)")});
  std::vector<uint32_t> position(tree.nodes.size(), 0);
  std::vector<uint32_t> other_of(tree.nodes.size(), kNone);  // by old position of the parent
  std::vector<FlameNode> kept{tree.nodes[0]};
  std::vector<bool> is_kept(tree.nodes.size(), false);
  is_kept[0] = true;
  for (uint32_t i = 1; i < tree.nodes.size(); ++i) {
    const FlameNode& node = tree.nodes[i];
    if (!is_kept[node.parent]) {
      position[i] = position[node.parent];
      ++tree.folded;
      continue;
    }
    if (keeper.stays(i)) {
      is_kept[i] = true;
      position[i] = static_cast<uint32_t>(kept.size());
      kept.push_back(node);
      continue;
    }
    if (other_of[node.parent] == kNone) {
      other_of[node.parent] = static_cast<uint32_t>(kept.size());
      kept.push_back({.function = tree.other, .depth = node.depth, .parent = node.parent});
    }
    position[i] = other_of[node.parent];
    ++tree.folded;
    FlameNode& folded = kept[position[i]];
    folded.total = folded.self = add(folded.total, node.total);
  }
  tree.nodes = std::move(kept);
  follow(tree, position);
}

}  // namespace atys::reduce
