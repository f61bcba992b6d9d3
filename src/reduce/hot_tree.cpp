// SPDX-License-Identifier: Apache-2.0
#include "reduce/hot_tree.h"

#include <algorithm>
#include <queue>

#include "reduce/confidence.h"

namespace atys::reduce {

namespace {

struct Chosen {
  uint32_t node = 0;
  size_t parent = 0;  // place of the parent among the chosen
  size_t depth = 0;
};

class Choice {
 public:
  Choice(const CallTree& tree, const std::function<bool(uint32_t)>& is_kept)
      : tree_(tree), is_kept_(is_kept), children_(tree.children()) {}

  // Costliest first, each after its parent.
  std::vector<Chosen> choose(size_t most) {
    const auto& nodes = tree_.nodes();
    const auto is_cheaper = [&](const Chosen& a, const Chosen& b) {
      return nodes[a.node].total != nodes[b.node].total ? nodes[a.node].total < nodes[b.node].total : a.node > b.node;
    };
    std::priority_queue<Chosen, std::vector<Chosen>, decltype(is_cheaper)> open(is_cheaper);
    const auto open_children = [&](uint32_t node, size_t parent, size_t depth) {
      std::vector<uint32_t> waiting = children_[node];
      while (!waiting.empty()) {
        const uint32_t child = waiting.back();
        waiting.pop_back();
        if (!is_kept_ || is_kept_(child)) {
          open.push({child, parent, depth});
        } else {
          waiting.insert(waiting.end(), children_[child].begin(), children_[child].end());
        }
      }
    };
    open_children(0, SIZE_MAX, 0);
    std::vector<Chosen> chosen;
    while (!open.empty() && chosen.size() < most) {
      const Chosen next = open.top();
      open.pop();
      chosen.push_back(next);
      open_children(next.node, chosen.size() - 1, next.depth + 1);
    }
    return chosen;
  }

 private:
  const CallTree& tree_;
  const std::function<bool(uint32_t)>& is_kept_;
  std::vector<std::vector<uint32_t>> children_;
};

// Each node after its parent, callees by cost.
std::vector<size_t> order_of_reading(const std::vector<Chosen>& chosen) {
  std::vector<std::vector<size_t>> below(chosen.size() + 1);  // the last: of the root
  for (size_t i = 0; i < chosen.size(); ++i) below[std::min(chosen[i].parent, chosen.size())].push_back(i);
  std::vector<size_t> order;
  std::vector<size_t> waiting(below.back().rbegin(), below.back().rend());
  while (!waiting.empty()) {
    const size_t at = waiting.back();
    waiting.pop_back();
    order.push_back(at);
    waiting.insert(waiting.end(), below[at].rbegin(), below[at].rend());
  }
  return order;
}

}  // namespace

HotTree cut_tree(const CallTree& tree, const CodeOrigins& code, const SampleCount& samples, size_t most,
                 const std::function<bool(uint32_t)>& is_kept) {
  const std::vector<Chosen> chosen = Choice(tree, is_kept).choose(most);
  const double sum = tree.nodes()[0].total;
  HotTree result{{}, tree.nodes().size() - 1};
  for (const size_t i : order_of_reading(chosen)) {
    const CallNode& node = tree.nodes()[chosen[i].node];
    const double share = sum == 0 ? 0 : node.total / sum;
    const Interval interval = share_interval(share, samples);
    const double self_percent = sum == 0 ? 0 : node.self / sum * 100;
    result.rows.push_back({{.entity = tree.entity(node),
                            .self = node.self,
                            .self_percent = self_percent,
                            .total = node.total,
                            .total_percent = share * 100,
                            .ci95 = {interval.low * 100, interval.high * 100},
                            .rank = i},
                           tree.path_of(chosen[i].node),
                           chosen[i].depth,
                           node.recursion,
                           code.of(node.entity)});
  }
  return result;
}

HotTree hot_tree(const Profile& profile, size_t column, const CodeOrigins& code, size_t most) {
  const CallTree tree(profile, column, code.attribution(), [&](EntityId entity) { return code.is_own(entity); });
  return cut_tree(tree, code, count_samples(profile, column), most);
}

}  // namespace atys::reduce
