// SPDX-License-Identifier: Apache-2.0
#include "fleet/controller/node_registry.h"

#include <algorithm>

namespace atys::fleet {

namespace {

constexpr int64_t kSweepNs = 60'000'000'000;

size_t bytes_of(const AgentReport& report) {
  constexpr size_t kOfEach = 64;  // what a text takes besides its bytes
  size_t bytes = sizeof report + report.node.size() + report.version.size() + report.metrics_address.size();
  for (const auto& [key, value] : report.labels) bytes += kOfEach + key.size() + value.size();
  for (const TaskState& state : report.tasks) bytes += sizeof state + state.task.size() + state.trouble.size();
  return bytes;
}

}  // namespace

bool claims_to_be_controller(const AgentReport& report) {
  const auto role = report.labels.find(std::string(kRoleLabel));
  return role != report.labels.end() && role->second == kControllerRole;
}

void NodeRegistry::erase(Nodes::iterator node) {
  strangers_.erase({node->second.steady_ns, node->first});
  bytes_ -= bytes_of(node->second.report);
  nodes_.erase(node);
}

void NodeRegistry::remove(const std::string& node) {
  if (const auto found = nodes_.find(node); found != nodes_.end()) erase(found);
}

void NodeRegistry::add(const AgentReport& report, int64_t now_ns, int64_t steady_ns, bool is_known) {
  if (steady_ns - swept_ns_ > kSweepNs) forget(steady_ns);
  const auto at = nodes_.try_emplace(report.node).first;
  NodeState& node = at->second;
  if (node.reports == 0) node.first_ns = now_ns;
  if (node.reports++ > 0) {
    strangers_.erase({node.steady_ns, report.node});
    bytes_ -= bytes_of(node.report);
  }
  node.last_ns = now_ns;
  node.steady_ns = steady_ns;
  node.is_known = is_known;
  node.clock_ahead_ns.reset();
  if (report.now_ns != 0) node.clock_ahead_ns = static_cast<int64_t>(report.now_ns) - now_ns;
  node.report = report;
  bytes_ += bytes_of(report);
  if (!is_known) strangers_.emplace(steady_ns, report.node);
  while (is_full() && !strangers_.empty() && strangers_.begin()->second != report.node) {
    erase(nodes_.find(strangers_.begin()->second));
    ++crowded_out_;
  }
  if (!is_full()) return;
  // All others are known: of this one what it takes to give it its orders.
  bytes_ -= bytes_of(node.report);
  node.report.labels.clear();
  node.report.tasks.clear();
  bytes_ += bytes_of(node.report);
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
  for (auto at = nodes_.begin(); at != nodes_.end();) {
    const auto next = std::next(at);
    if (steady_ns - at->second.steady_ns > kForgottenNs) erase(at);
    at = next;
  }
}

}  // namespace atys::fleet
