// SPDX-License-Identifier: Apache-2.0
// Three steps: grow (stacks into a tree in order of arrival), fold (if asked), arrange (sort siblings, number in preorder).
#include "reduce/flame_tree.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

#include "reduce/flame_fold.h"

namespace atys::reduce {

using namespace profile;

namespace {

constexpr uint32_t kNone = FlameNode::kNone;

int64_t add(int64_t a, int64_t b) { return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b)); }

class Grower {
 public:
  Grower(const FlameOptions& options, FlameTree& tree) : options_(options), tree_(tree) { tree_.nodes.emplace_back(); }

  void grow(const Profile& profile, size_t column) {
    FrameCalls calls(profile, tree_.strings, tree_.functions);
    calls_ = &calls;
    std::vector<uint32_t>& node_of_stack = tree_.node_of_stack.emplace_back(profile.stacks.size(), kNone);
    if (profile.value_types().empty()) return;
    std::vector<int64_t> worth(profile.stacks.size(), 0);
    std::vector<bool> is_used(profile.stacks.size(), false);
    for (size_t row = 0; row < profile.samples.size(); ++row) {
      const uint32_t stack = raw(profile.samples.stack(row));
      worth[stack] = add(worth[stack], profile.samples.value(row, column));
      is_used[stack] = true;
    }
    for (uint32_t stack = 0; stack < worth.size(); ++stack) {
      if (worth[stack] == 0 && !(options_.keep_zero_stacks && is_used[stack])) continue;
      const uint32_t node = grow_branch(profile.stacks[StackId{stack}]);
      tree_.nodes[node].self = add(tree_.nodes[node].self, worth[stack]);
      node_of_stack[stack] = node;
    }
  }

  void add_up() {
    for (size_t i = tree_.nodes.size(); i-- > 0;) {
      FlameNode& node = tree_.nodes[i];
      node.total = add(node.total, node.self);
      if (i > 0) tree_.nodes[node.parent].total = add(tree_.nodes[node.parent].total, node.total);
    }
  }

 private:
  uint32_t grow_branch(std::span<const FrameId> frames) {
    uint32_t node = 0;
    depth_ = 0;
    if (options_.inverted) {
      for (const FrameId frame : frames) {
        const auto calls = calls_->of(frame);
        for (auto call = calls.rbegin(); call != calls.rend(); ++call) node = child(node, call->function);
      }
    } else {
      for (auto frame = frames.rbegin(); frame != frames.rend(); ++frame) {
        for (const FlameCall& call : calls_->of(*frame)) node = child(node, call.function);
      }
    }
    path_.resize(depth_);
    return node;
  }

  // Neighbouring stacks mostly share their first steps: those are taken from the path of the stack before, without a
  // look-up.
  uint32_t child(uint32_t parent, FlameFunctionId function) {
    const size_t step = depth_++;
    if (step < path_.size()) {
      if (tree_.nodes[path_[step]].function == function && tree_.nodes[path_[step]].parent == parent) return path_[step];
      path_.resize(step);
    }
    const auto next = static_cast<uint32_t>(tree_.nodes.size());
    const uint64_t key = hash_mix((uint64_t{parent} << 32 | raw(function)) ^ hash_seed(), parent);
    const uint32_t found = children_.find_or_add(key, next, [&](uint32_t other) {
      return tree_.nodes[other].parent == parent && tree_.nodes[other].function == function;
    });
    if (found == next)
      tree_.nodes.push_back({.function = function, .depth = static_cast<uint32_t>(step + 1), .parent = parent});
    path_.push_back(found);
    return found;
  }

  const FlameOptions& options_;
  FlameTree& tree_;
  FrameCalls* calls_ = nullptr;  // of the profile in hand
  HashIndex children_;
  std::vector<uint32_t> path_;  // nodes of the stack in hand, or still of the one before
  size_t depth_ = 0;            // how much of it is of the stack in hand
};

// The place of each function in alphabetic order, so that siblings are compared by number.
std::vector<uint32_t> name_ranks(const FlameTree& tree) {
  std::vector<uint32_t> order(tree.functions.size());
  std::iota(order.begin(), order.end(), 0u);
  const auto text = [&](uint32_t i, StringId FlameFunction::*part) {
    return tree.strings.view(tree.functions[FlameFunctionId{i}].*part);
  };
  std::ranges::sort(order, [&](uint32_t a, uint32_t b) {
    for (const auto part : {&FlameFunction::name, &FlameFunction::file, &FlameFunction::kind, &FlameFunction::module}) {
      if (const int difference = text(a, part).compare(text(b, part)); difference != 0) return difference < 0;
    }
    return tree.functions[FlameFunctionId{a}].is_inlined < tree.functions[FlameFunctionId{b}].is_inlined;
  });
  std::vector<uint32_t> ranks(order.size());
  for (uint32_t i = 0; i < order.size(); ++i) ranks[order[i]] = i;
  return ranks;
}

// Sets first_child and next_sibling so that siblings are in the order asked for. Most nodes are an only child, so sorting
// each family for itself is far quicker than sorting all nodes.
void link_siblings(std::vector<FlameNode>& nodes, const std::vector<uint32_t>& ranks, FlameOrder order) {
  std::vector<uint32_t> begin(nodes.size() + 1, 0);  // of the children of each node, in `children`
  for (size_t i = 1; i < nodes.size(); ++i) ++begin[nodes[i].parent + 1];
  std::partial_sum(begin.begin(), begin.end(), begin.begin());
  std::vector<uint32_t> children(nodes.size() - 1);
  std::vector<uint32_t> next(begin.begin(), begin.end() - 1);
  for (uint32_t i = 1; i < nodes.size(); ++i) children[next[nodes[i].parent]++] = i;
  const auto comes_first = [&](uint32_t a, uint32_t b) {
    if (order == FlameOrder::ByTotal && nodes[a].total != nodes[b].total) return nodes[a].total > nodes[b].total;
    return ranks[raw(nodes[a].function)] < ranks[raw(nodes[b].function)];
  };
  for (size_t parent = 0; parent < nodes.size(); ++parent) {
    const std::span family(children.data() + begin[parent], begin[parent + 1] - begin[parent]);
    if (family.empty()) continue;
    std::ranges::sort(family, comes_first);
    nodes[parent].first_child = family.front();
    for (size_t i = 0; i + 1 < family.size(); ++i) nodes[family[i]].next_sibling = family[i + 1];
  }
}

// Numbers the linked nodes in preorder.
void arrange(FlameTree& tree, FlameOrder order) {
  link_siblings(tree.nodes, name_ranks(tree), order);
  std::vector<uint32_t> position(tree.nodes.size());
  std::vector<FlameNode> arranged;
  arranged.reserve(tree.nodes.size());
  for (uint32_t i = 0; i != kNone;) {
    position[i] = static_cast<uint32_t>(arranged.size());
    arranged.push_back(tree.nodes[i]);
    if (tree.nodes[i].first_child != kNone) {
      i = tree.nodes[i].first_child;
      continue;
    }
    while (i != kNone && tree.nodes[i].next_sibling == kNone) i = tree.nodes[i].parent;
    if (i != kNone) i = tree.nodes[i].next_sibling;
  }
  for (FlameNode& node : arranged) {
    if (node.first_child != kNone) node.first_child = position[node.first_child];
    if (node.next_sibling != kNone) node.next_sibling = position[node.next_sibling];
  }
  tree.nodes = std::move(arranged);
  follow(tree, position);
}

}  // namespace

FlameTree build_flame_tree(std::span<const FlameInput> inputs, const FlameOptions& options) {
  FlameTree tree;
  Grower grower(options, tree);
  for (const FlameInput& input : inputs) grower.grow(*input.profile, input.column);
  grower.add_up();
  fold(tree, options);
  arrange(tree, options.order);
  return tree;
}

FlameTree build_flame_tree(const Profile& profile, const FlameOptions& options) {
  const size_t types = std::max<size_t>(profile.value_types().size(), 1);
  const size_t column =
      profile.value_types().empty() ? 0 : std::min(options.value_column.value_or(profile.default_value_column()), types - 1);
  const FlameInput input{&profile, column};
  return build_flame_tree({&input, 1}, options);
}

std::vector<int64_t> flame_self(const FlameTree& tree, size_t input, const Profile& profile, size_t column) {
  std::vector<int64_t> self(tree.nodes.size(), 0);
  for (size_t row = 0; row < profile.samples.size(); ++row) {
    const uint32_t node = tree.node_of_stack[input][raw(profile.samples.stack(row))];
    if (node != kNone) self[node] = add(self[node], profile.samples.value(row, column));
  }
  return self;
}

std::vector<int64_t> flame_totals(const FlameTree& tree, std::vector<int64_t> self) {
  for (size_t i = self.size(); i-- > 1;) self[tree.nodes[i].parent] = add(self[tree.nodes[i].parent], self[i]);
  return self;
}

std::vector<double> flame_widths(const FlameTree& tree, std::vector<double> self) {
  for (double& value : self) value = std::abs(value);
  for (size_t i = self.size(); i-- > 1;) self[tree.nodes[i].parent] += self[i];
  return self;
}

std::vector<double> flame_widths(const FlameTree& tree) {
  std::vector<double> self(tree.nodes.size(), 0);
  for (size_t i = 0; i < self.size(); ++i) self[i] = static_cast<double>(tree.nodes[i].self);
  return flame_widths(tree, std::move(self));
}

}  // namespace atys::reduce
