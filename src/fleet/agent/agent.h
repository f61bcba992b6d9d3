// SPDX-License-Identifier: Apache-2.0
// The node agent: takes orders from a controller, or from files, runs a TaskRunner for each kind of each task that is for
// this node, and sends what they record, by way of a spool. Everything that it does is inside one budget.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "fleet/agent/agent_budget.h"
#include "fleet/agent/hotspots.h"
#include "fleet/agent/task_runner.h"
#include "fleet/controller_link.h"
#include "fleet/spool.h"

namespace atys::fleet {

struct AgentOptions {
  std::string node;         // empty: the host's name
  std::string data_folder;  // spool, orders that are to outlive a restart, caches
  uint64_t spool_bytes = uint64_t{256} << 20;
  AgentBudgetPlan budget;
  std::string metrics_address;                // where Prometheus finds it, as told to the controller
  std::map<std::string, std::string> labels;  // of the node
  std::vector<Task> tasks;                    // of its own, beside those of the controller
};

struct AgentStatus {
  AgentReport report;
  Spool::State spool;
  std::vector<Hotspots::Row> hotspots;
  double cpu_share = 0;  // of one core, in the last minute or since it began
  uint64_t begun_for_ns =
      0;  // CPU time that starting and beginning with its services took: part of the above, and soon over
  double rate_factor = 1;
  bool is_connected = false;
  std::string trouble;          // with the controller, and what to do about it
  std::string sending_trouble;  // why windows wait
  std::string clock_trouble;    // why they are shifted
  int64_t clock_ahead_ns = 0;   // of the controller's, as last measured
  uint64_t bytes_recorded = 0;  // of windows, before compression
};

class Agent {
 public:
  // Without a link it works alone: what it records is in its metrics only.
  static Result<std::unique_ptr<Agent>> start(AgentOptions options, std::unique_ptr<ControllerLink> link);
  ~Agent();  // ends all windows at hand; what was not sent stays in the spool

  AgentStatus status() const;

 private:
  class State;
  explicit Agent(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace atys::fleet
