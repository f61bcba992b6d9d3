// SPDX-License-Identifier: Apache-2.0
// Keeps the agent as a whole inside its budget, whatever its tasks do: above the CPU budget all rates go down together,
// above the memory budget what was learned is let go, and if that does not help tasks pause. Pure: readings in, orders out.
#pragma once

#include <cstdint>
#include <deque>

namespace atys::fleet {

struct AgentBudgetPlan {
  double cpu = 0.01;                  // of one core
  uint64_t memory_bytes = 128000000;  // resident
};

class AgentBudget {
 public:
  explicit AgentBudget(const AgentBudgetPlan& plan) : plan_(plan) {}

  struct Reading {
    uint64_t now_ns = 0;
    uint64_t cpu_ns = 0;  // of the process and of its programs in the kernel, since it started
    uint64_t memory_bytes = 0;
  };
  struct Order {
    double rate_factor = 1;    // 0: pause
    bool shed_memory = false;  // once
  };
  // Of the tasks at hand, where one asks for less than the plan has; 0: none does.
  void limit_memory(uint64_t bytes) { least_memory_ = bytes; }
  // To be asked about once a second.
  Order update(const Reading& reading);

  // Everything that the process has used so far counts as used from then on.
  void begin(uint64_t now_ns) { readings_.push_back({.now_ns = now_ns}); }
  // Of one core, in the last minute, or since it began.
  double cpu_share() const;

 private:
  uint64_t most_memory() const {
    return least_memory_ > 0 && least_memory_ < plan_.memory_bytes ? least_memory_ : plan_.memory_bytes;
  }

  AgentBudgetPlan plan_;
  uint64_t least_memory_ = 0;
  Reading last_;
  std::deque<Reading> readings_;  // of the last minute, one more than there are seconds
  double share_ = 0;              // what the rates follow: it fades
  double factor_ = 1;
  uint64_t lower_after_ns_ = 0;
  uint64_t shed_at_ns_ = 0;
  uint64_t paused_until_ns_ = 0;
  bool has_last_ = false;
};

}  // namespace atys::fleet
