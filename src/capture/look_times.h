// SPDX-License-Identifier: Apache-2.0
// When a recording wakes up, and what for: to see what it costs, who belongs to the target, and what came meanwhile. Often
// while that may change quickly, seldom when nothing does: who watches for ever should sleep.
#pragma once

#include <cstdint>

namespace atys::capture {

class LookTimes {
 public:
  struct Plan {
    uint64_t duration_ns = 0;  // 0: until it is ended
    bool is_for_good = false;  // an agent's: it watches for ever
    bool tells_phases = false;
  };
  explicit LookTimes(const Plan& plan) : plan_(plan) {}

  void begin(uint64_t now_ns);
  bool is_over(uint64_t now_ns) const { return plan_.duration_ns != 0 && now_ns >= started_ns_ + plan_.duration_ns; }

  // The next time to wake up, if nothing comes. `may_wait`: what is recorded waits where it is, and wakes us when there is
  // much of it. `is_learning`: the source wants answers to go on with.
  uint64_t next(uint64_t now_ns, bool may_wait, bool is_learning) const;
  // Something came earlier.
  void on_wakeup();
  void on_target_wakeup() { next_target_ns_ = 0; }

  // At what it costs. `is_far`: it is far below what it may use, and little comes.
  bool is_cost_due(uint64_t now_ns) const { return now_ns >= next_cost_ns_; }
  void looked_at_cost(uint64_t now_ns, bool is_far);
  void on_higher_rate(uint64_t now_ns);

  // At who belongs to the target.
  bool is_target_due(uint64_t now_ns) const { return now_ns >= next_target_ns_; }
  void looked_at_target(uint64_t now_ns);

  // Whether a part of the recording is over, which a phase may begin or end with. Never a reason to wake up.
  bool is_part_due(uint64_t now_ns) const { return plan_.tells_phases && now_ns >= next_part_ns_; }
  // `is_full`: there are as many as are kept, so that from now on they are twice as long.
  void began_part(uint64_t now_ns, bool is_full);

 private:
  Plan plan_;
  uint64_t started_ns_ = 0;
  uint64_t looked_at_cost_ns_ = 0;
  uint64_t next_cost_ns_ = 0;
  uint64_t next_target_ns_ = 0;
  uint64_t part_ns_ = 0;
  uint64_t next_part_ns_ = 0;
};

}  // namespace atys::capture
