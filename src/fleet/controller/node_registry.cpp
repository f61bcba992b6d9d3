// SPDX-License-Identifier: Apache-2.0
#include "fleet/controller/node_registry.h"

#include <algorithm>

namespace atys::fleet {

namespace {

constexpr int64_t kSweepNs = 60'000'000'000;

}  // namespace

Result<> NodeRegistry::add(const AgentReport& report, int64_t now_ns, int64_t steady_ns) {
  if (steady_ns - swept_ns_ > kSweepNs || nodes_.size() >= kMostNodes) forget(steady_ns);
  const auto found = nodes_.find(report.node);
  if (found == nodes_.end() && nodes_.size() >= kMostNodes)
    return fail(ErrorCode::ResourceExhausted, "20,000 nodes report here already", "put controllers between: --upstream");
  NodeState& node = nodes_[report.node];
  if (node.reports++ == 0) node.first_ns = now_ns;
  node.last_ns = now_ns;
  node.steady_ns = steady_ns;
  node.clock_ahead_ns.reset();
  if (report.now_ns != 0) node.clock_ahead_ns = static_cast<int64_t>(report.now_ns) - now_ns;
  node.report = report;
  return {};
}

std::vector<NodeState> NodeRegistry::list(int64_t steady_ns) const {
  std::vector<NodeState> nodes;
  for (const auto& [name, node] : nodes_) {
    if (steady_ns - node.steady_ns > kForgottenNs) continue;
    nodes.push_back(node);
    nodes.back().is_away = steady_ns - node.steady_ns > kAwayNs;
  }
  return nodes;
}

std::vector<TaskState> sum_tasks(const std::vector<NodeState>& nodes) {
  std::map<std::string, TaskState> sums;
  for (const NodeState& node : nodes) {
    if (node.is_away) continue;
    for (const TaskState& state : node.report.tasks) {
      TaskState& sum = sums[state.task];
      sum.task = state.task;
      sum.instances += state.instances;
      sum.windows += state.windows;
      sum.hz = std::max(sum.hz, state.hz);
      sum.overhead = std::max(sum.overhead, state.overhead);
      if (sum.trouble.empty() && !state.trouble.empty()) sum.trouble = node.report.node + ": " + state.trouble;
    }
  }
  std::vector<TaskState> tasks;
  for (auto& [name, sum] : sums) tasks.push_back(std::move(sum));
  return tasks;
}

void NodeRegistry::forget(int64_t steady_ns) {
  swept_ns_ = steady_ns;
  std::erase_if(nodes_, [&](const auto& node) { return steady_ns - node.second.steady_ns > kForgottenNs; });
}

}  // namespace atys::fleet
