// SPDX-License-Identifier: Apache-2.0
// Three steps: grow (stacks into a tree in order of arrival), fold (if asked), arrange (sort siblings, number in preorder).
#include "reduce/flame_tree.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

#include "reduce/anonymous.h"

namespace atys::reduce {

using namespace profile;

uint64_t hash(const FlameFunction& f) {
  return hash_mix((uint64_t{raw(f.name)} << 32 | raw(f.file)) ^ hash_seed(),
                  (uint64_t{raw(f.kind)} << 33 | uint64_t{raw(f.module)} << 1) ^ (f.is_inlined ? 1u : 0u));
}

namespace {

constexpr uint32_t kNone = FlameNode::kNone;

int64_t add(int64_t a, int64_t b) { return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b)); }

// The functions that a frame stands for, outermost first. Looked up once for each frame.
class FrameFunctions {
 public:
  FrameFunctions(const Profile& profile, FlameTree& tree)
      : profile_(profile),
        names_(profile),
        tree_(tree),
        strings_(profile.strings.size(), kNone),
        ranges_(profile.frames.size()) {}

  // Valid until the next call.
  std::span<const FlameFunctionId> of(FrameId id) {
    Range& range = ranges_[raw(id)];
    if (range.count == 0) {
      range.begin = static_cast<uint32_t>(functions_.size());
      expand(profile_.frames[id]);
      range.count = static_cast<uint32_t>(functions_.size()) - range.begin;
    }
    return {functions_.data() + range.begin, range.count};
  }

 private:
  struct Range {
    uint32_t begin = 0;
    uint32_t count = 0;  // 0: not expanded yet
  };

  void expand(const Frame& frame) {
    FlameFunction function;
    function.kind = string(frame.kind);
    function.module = string(profile_.mappings[frame.mapping].filename);
    const auto lines = profile_.lines[frame.lines];
    if (lines.empty()) {
      function.name = tree_.strings.intern(unresolved_name(profile_, frame));
      functions_.push_back(tree_.functions.intern(function));
    }
    for (size_t i = lines.size(); i-- > 0;) {
      function.name = tree_.strings.intern(names_.of(lines[i].function));
      function.file = tree_.strings.intern(shown_file(profile_, frame, lines[i].function));
      function.is_inlined = i + 1 < lines.size();
      functions_.push_back(tree_.functions.intern(function));
    }
  }

  StringId string(StringId id) {
    uint32_t& known = strings_[raw(id)];
    if (known == kNone) known = raw(tree_.strings.intern(profile_.text(id)));
    return StringId{known};
  }

  const Profile& profile_;
  FunctionNames names_;
  FlameTree& tree_;
  std::vector<uint32_t> strings_;
  std::vector<Range> ranges_;
  std::vector<FlameFunctionId> functions_;
};

class Grower {
 public:
  Grower(const Profile& profile, const FlameOptions& options, FlameTree& tree)
      : profile_(profile), options_(options), tree_(tree), frame_functions_(profile, tree) {
    tree_.nodes.emplace_back();
    tree_.node_of_stack.assign(profile.stacks.size(), kNone);
  }

  void grow() {
    if (profile_.value_types().empty()) return;
    const size_t column =
        std::min(options_.value_column.value_or(profile_.default_value_column()), profile_.value_types().size() - 1);
    std::vector<int64_t> worth(profile_.stacks.size(), 0);
    std::vector<bool> is_used(profile_.stacks.size(), false);
    for (size_t row = 0; row < profile_.samples.size(); ++row) {
      const uint32_t stack = raw(profile_.samples.stack(row));
      worth[stack] = add(worth[stack], profile_.samples.value(row, column));
      is_used[stack] = true;
    }
    for (uint32_t stack = 0; stack < worth.size(); ++stack) {
      if (worth[stack] != 0 || (options_.keep_zero_stacks && is_used[stack])) grow_branch(StackId{stack}, worth[stack]);
    }
    for (size_t i = tree_.nodes.size(); i-- > 0;) {
      FlameNode& node = tree_.nodes[i];
      node.total = add(node.total, node.self);
      if (i > 0) tree_.nodes[node.parent].total = add(tree_.nodes[node.parent].total, node.total);
    }
  }

 private:
  void grow_branch(StackId stack, int64_t value) {
    uint32_t node = 0;
    depth_ = 0;
    const auto frames = profile_.stacks[stack];
    if (options_.inverted) {
      for (const FrameId frame : frames) {
        const auto functions = frame_functions_.of(frame);
        for (auto function = functions.rbegin(); function != functions.rend(); ++function) node = child(node, *function);
      }
    } else {
      for (auto frame = frames.rbegin(); frame != frames.rend(); ++frame) {
        for (const FlameFunctionId function : frame_functions_.of(*frame)) node = child(node, function);
      }
    }
    path_.resize(depth_);
    tree_.nodes[node].self = add(tree_.nodes[node].self, value);
    tree_.node_of_stack[raw(stack)] = node;
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

  const Profile& profile_;
  const FlameOptions& options_;
  FlameTree& tree_;
  FrameFunctions frame_functions_;
  HashIndex children_;
  std::vector<uint32_t> path_;  // nodes of the stack in hand, or still of the one before
  size_t depth_ = 0;            // how much of it is of the stack in hand
};

// Replaces nodes by their new positions everywhere; `position[old]`.
void follow(FlameTree& tree, const std::vector<uint32_t>& position) {
  for (FlameNode& node : tree.nodes) {
    if (node.parent != kNone) node.parent = position[node.parent];
  }
  for (uint32_t& node : tree.node_of_stack) {
    if (node != kNone) node = position[node];
  }
}

// Where nodes are too small to matter, all such children of one parent become one child that has no children itself.
void fold(FlameTree& tree, double share) {
  const std::vector<double> widths = flame_widths(tree);
  const double least = widths[0] * share;
  const FlameFunctionId other = tree.functions.intern({.name = tree.strings.intern("(other)")});
  std::vector<uint32_t> position(tree.nodes.size(), 0);
  std::vector<uint32_t> other_of(tree.nodes.size(), kNone);  // by old position of the parent
  std::vector<FlameNode> kept{tree.nodes[0]};
  std::vector<bool> is_kept(tree.nodes.size(), false);
  is_kept[0] = true;
  for (uint32_t i = 1; i < tree.nodes.size(); ++i) {
    const FlameNode& node = tree.nodes[i];
    if (!is_kept[node.parent]) {
      position[i] = position[node.parent];
      continue;
    }
    if (widths[i] >= least) {
      is_kept[i] = true;
      position[i] = static_cast<uint32_t>(kept.size());
      kept.push_back(node);
      continue;
    }
    if (other_of[node.parent] == kNone) {
      other_of[node.parent] = static_cast<uint32_t>(kept.size());
      kept.push_back({.function = other, .depth = node.depth, .parent = node.parent});
    }
    position[i] = other_of[node.parent];
    FlameNode& folded = kept[position[i]];
    folded.total = folded.self = add(folded.total, node.total);
  }
  tree.nodes = std::move(kept);
  follow(tree, position);
}

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

FlameTree build_flame_tree(const Profile& profile, const FlameOptions& options) {
  FlameTree tree;
  Grower(profile, options, tree).grow();
  if (options.fold_below > 0) fold(tree, options.fold_below);
  arrange(tree, options.order);
  return tree;
}

std::vector<double> flame_widths(const FlameTree& tree) {
  std::vector<double> widths(tree.nodes.size(), 0);
  for (size_t i = tree.nodes.size(); i-- > 0;) {
    widths[i] += std::abs(static_cast<double>(tree.nodes[i].self));
    if (i > 0) widths[tree.nodes[i].parent] += widths[i];
  }
  return widths;
}

}  // namespace atys::reduce
