// SPDX-License-Identifier: Apache-2.0
// Who reports to this controller. Bounded; who says nothing for an hour is forgotten, and comes back with its next report.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "fleet/wire/control.h"

namespace atys::fleet {

struct NodeState {
  AgentReport report;    // the last one
  int64_t first_ns = 0;  // Unix time of its first report to us
  int64_t last_ns = 0;
  uint64_t reports = 0;
  int64_t steady_ns = 0;  // of its last report, by a clock that is never set
  // By how much its clock is ahead of ours; nothing: it does not say.
  std::optional<int64_t> clock_ahead_ns = {};
  bool is_away = false;  // has missed several reports
};

// A label of reports by controllers that report to a controller above them: tasks for their nodes go through them.
inline constexpr std::string_view kRoleLabel = "atys.role";
inline constexpr std::string_view kControllerRole = "controller";

// What the nodes that are there report of each task, as one: the sums, the highest rates, the first trouble.
std::vector<TaskState> sum_tasks(const std::vector<NodeState>& nodes);

class NodeRegistry {
 public:
  // ResourceExhausted where there are as many nodes as there may be. `steady_ns`: how long nodes are away is told by it.
  Result<> add(const AgentReport& report, int64_t now_ns, int64_t steady_ns);
  std::vector<NodeState> list(int64_t steady_ns) const;  // by name
  const NodeState* find(const std::string& node) const {
    const auto found = nodes_.find(node);
    return found == nodes_.end() ? nullptr : &found->second;
  }
  size_t size() const { return nodes_.size(); }

  static constexpr size_t kMostNodes = 20'000;
  static constexpr int64_t kAwayNs = 30'000'000'000;
  static constexpr int64_t kForgottenNs = 3'600'000'000'000;

 private:
  void forget(int64_t steady_ns);

  std::map<std::string, NodeState> nodes_;
  int64_t swept_ns_ = 0;
};

}  // namespace atys::fleet
