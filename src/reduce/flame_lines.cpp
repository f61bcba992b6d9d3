// SPDX-License-Identifier: Apache-2.0
#include "reduce/flame_lines.h"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace atys::reduce {

using namespace profile;

namespace {

constexpr uint32_t kNone = FlameNode::kNone;

// Walks the stacks again, beside the nodes that they went to. A stack that was folded ends at the node "(other)".
class Surveyor {
 public:
  Surveyor(const FlameTree& tree, size_t most_places) : tree_(tree), most_places_(most_places) {
    found_.places.push_back({});
  }

  bool is_full() const { return found_.places.size() > most_places_; }

  void survey(const Profile& profile, const std::vector<uint32_t>& node_of_stack) {
    std::vector<uint32_t>& place_of_stack = found_.place_of_stack.emplace_back(node_of_stack.size(), kNone);
    for (uint32_t stack = 0; stack < node_of_stack.size() && !is_full(); ++stack) {
      if (node_of_stack[stack] == kNone) continue;
      collect_lines(profile, profile.stacks[StackId{stack}]);
      place_of_stack[stack] = place_below(node_of_stack[stack]);
    }
  }

  // Places are found in the order of stacks; this numbers them in the order of nodes.
  FlameLines finish() {
    std::vector<uint32_t> order(found_.places.size());
    std::iota(order.begin(), order.end(), 0u);
    // A parent's node comes before its child's, and was numbered when it is needed: by level.
    std::vector<uint32_t> position(order.size(), 0);
    std::ranges::sort(order, {}, [&](uint32_t i) { return found_.places[i].node; });
    for (size_t begin = 0; begin < order.size();) {
      size_t end = begin;
      while (end < order.size() && found_.places[order[end]].node == found_.places[order[begin]].node) ++end;
      const auto key = [&](uint32_t i) {
        const FlamePlace& place = found_.places[i];
        return std::tuple(place.parent == kNone ? 0 : position[place.parent], place.line);
      };
      std::ranges::sort(order.begin() + static_cast<ptrdiff_t>(begin), order.begin() + static_cast<ptrdiff_t>(end), {}, key);
      for (; begin < end; ++begin) position[order[begin]] = static_cast<uint32_t>(begin);
    }
    return renumbered(order, position);
  }

 private:
  // The lines of a stack, root first.
  void collect_lines(const Profile& profile, std::span<const FrameId> frames) {
    lines_.clear();
    for (auto frame = frames.rbegin(); frame != frames.rend(); ++frame) {
      const auto lines = profile.lines[profile.frames[*frame].lines];
      if (lines.empty()) lines_.push_back(0);
      for (size_t i = lines.size(); i-- > 0;) lines_.push_back(lines[i].line);
    }
  }

  uint32_t place_below(uint32_t leaf) {
    nodes_.clear();
    for (uint32_t node = leaf; node != 0; node = tree_.nodes[node].parent) nodes_.push_back(node);
    const bool is_folded = tree_.folded > 0 && tree_.nodes[leaf].function == tree_.other;
    uint32_t place = 0;
    for (size_t step = 0; step < nodes_.size(); ++step) {
      const bool has_line = !is_folded || step + 1 < nodes_.size();
      place = child(place, nodes_[nodes_.size() - 1 - step], has_line ? lines_[step] : 0);
    }
    return place;
  }

  uint32_t child(uint32_t parent, uint32_t node, int64_t line) {
    found_.has_lines = found_.has_lines || line != 0;
    const auto next = static_cast<uint32_t>(found_.places.size());
    const uint64_t key = hash_mix((uint64_t{parent} << 32 | node) ^ hash_seed(), static_cast<uint64_t>(line));
    const uint32_t known = index_.find_or_add(key, next, [&](uint32_t other) {
      const FlamePlace& place = found_.places[other];
      return place.parent == parent && place.node == node && place.line == line;
    });
    if (known == next) found_.places.push_back({node, parent, line});
    return known;
  }

  FlameLines renumbered(const std::vector<uint32_t>& order, const std::vector<uint32_t>& position) {
    FlameLines lines{.places = {}, .place_of_stack = std::move(found_.place_of_stack), .has_lines = found_.has_lines};
    lines.places.reserve(order.size());
    for (const uint32_t old : order) {
      FlamePlace& place = lines.places.emplace_back(found_.places[old]);
      if (place.parent != kNone) place.parent = position[place.parent];
    }
    for (std::vector<uint32_t>& places : lines.place_of_stack) {
      for (uint32_t& place : places) {
        if (place != kNone) place = position[place];
      }
    }
    return lines;
  }

  const FlameTree& tree_;
  size_t most_places_;
  FlameLines found_;
  HashIndex index_;
  std::vector<int64_t> lines_;
  std::vector<uint32_t> nodes_;  // leaf first
};

// Each node its own place.
FlameLines without_lines(const FlameTree& tree) {
  FlameLines lines{.places = {}, .place_of_stack = tree.node_of_stack};
  lines.places.reserve(tree.nodes.size());
  for (uint32_t node = 0; node < tree.nodes.size(); ++node) lines.places.push_back({node, tree.nodes[node].parent, 0});
  return lines;
}

}  // namespace

FlameLines find_flame_lines(const FlameTree& tree, std::span<const FlameInput> inputs, size_t most_places) {
  Surveyor surveyor(tree, most_places);
  for (size_t i = 0; i < inputs.size(); ++i) surveyor.survey(*inputs[i].profile, tree.node_of_stack[i]);
  if (surveyor.is_full()) return without_lines(tree);
  FlameLines lines = surveyor.finish();
  return lines.has_lines ? lines : without_lines(tree);
}

}  // namespace atys::reduce
