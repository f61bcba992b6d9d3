// SPDX-License-Identifier: Apache-2.0
// Who reports to this controller. Bounded; who says nothing for an hour is forgotten, and comes back with its next report.
// Nobody is refused for want of room: anybody with a token that many share can invent names, so where there are too many the
// one that was silent for longest makes room, and never one that is known by a token or certificate of its own.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
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
  bool is_away = false;   // has missed several reports
  bool is_known = false;  // by a token or a certificate of its own
};

// A label of reports by controllers that report to a controller above them: tasks for their nodes go through them. Taken
// from whoever has a token for it.
inline constexpr std::string_view kRoleLabel = "atys.role";
inline constexpr std::string_view kControllerRole = "controller";
bool claims_to_be_controller(const AgentReport& report);

// What the nodes that are there report of each task, as one: the sums, the highest rates, the first trouble.
std::vector<TaskState> sum_tasks(const std::vector<NodeState>& nodes);

class NodeRegistry {
 public:
  explicit NodeRegistry(size_t most_nodes = kMostNodes, size_t most_bytes = kMostBytes)
      : most_nodes_(most_nodes), most_bytes_(most_bytes) {}

  // `steady_ns`: how long nodes are away is told by it.
  void add(const AgentReport& report, int64_t now_ns, int64_t steady_ns, bool is_known = false);
  void remove(const std::string& node);
  std::vector<NodeState> list(int64_t steady_ns) const;  // by name
  const NodeState* find(const std::string& node) const {
    const auto found = nodes_.find(node);
    return found == nodes_.end() ? nullptr : &found->second;
  }
  size_t size() const { return nodes_.size(); }
  uint64_t crowded_out() const { return crowded_out_; }  // that made room for others

  static constexpr size_t kMostNodes = 20'000;
  static constexpr size_t kMostBytes = size_t{256} << 20;  // of what they report
  static constexpr int64_t kAwayNs = 30'000'000'000;
  static constexpr int64_t kForgottenNs = 3'600'000'000'000;

 private:
  using Nodes = std::map<std::string, NodeState>;
  void forget(int64_t steady_ns);
  void erase(Nodes::iterator node);
  bool is_full() const { return nodes_.size() > most_nodes_ || bytes_ > most_bytes_; }

  const size_t most_nodes_, most_bytes_;
  Nodes nodes_;
  std::set<std::pair<int64_t, std::string>> strangers_;  // when they reported last, and who: the first goes first
  size_t bytes_ = 0;
  uint64_t crowded_out_ = 0;
  int64_t swept_ns_ = 0;
};

}  // namespace atys::fleet
