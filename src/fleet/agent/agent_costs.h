// SPDX-License-Identifier: Apache-2.0
// What the agent costs its node, and what of that is too much: CPU time and memory against the budget, and by how much all
// rates are lowered for it. The agent's ticker updates it, runners add to it, and whoever asks for metrics reads it: from
// any thread, under a lock of its own. How a budget is kept is AgentBudget's.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>

#include "fleet/agent/agent_budget.h"
#include "fleet/agent/work_pace.h"

namespace atys::fleet {

// Of this process.
uint64_t resident_bytes();

class AgentCosts {
 public:
  // What the process has used until now was used by starting.
  explicit AgentCosts(const AgentBudgetPlan& plan);

  // CPU time of this process and its worker, and of its programs in the kernel, as far as windows have told.
  uint64_t spent_ns() const;
  void add_kernel_cpu(uint64_t ns) { kernel_cpu_ns_ += ns; }
  // The pace of what costs much at once, for all runners.
  const std::shared_ptr<WorkPace>& pace() const { return pace_; }

  // What the controller wants rates to be multiplied by, from the next update on.
  void set_ordered_factor(double factor);
  // To be called once a second; `least_memory` as for AgentBudget::limit_memory. The factor is ours and the controller's.
  AgentBudget::Order update(uint64_t least_memory);

  struct Figures {
    double cpu_share = 0;  // of one core, in the last minute or since it began
    uint64_t begun_for_ns = 0;
    double rate_factor = 1;  // as of the last update
  };
  Figures figures() const;

 private:
  const uint64_t started_for_ns_;  // CPU time
  std::atomic<uint64_t> kernel_cpu_ns_ = 0;
  const std::shared_ptr<WorkPace> pace_;

  mutable std::mutex mutex_;  // of all below
  AgentBudget budget_;
  double ordered_factor_ = 1;
  double rate_factor_ = 1;
};

}  // namespace atys::fleet
