// SPDX-License-Identifier: Apache-2.0
// When threads are looked at: as often as was asked for, at varied distances, and whether we had a CPU when it was time.
#pragma once

#include <poll.h>

#include <optional>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"
#include "capture/native/lateness.h"
#include "linux/roving_thread.h"
#include "linux/thread_activity.h"
#include "reduce/random.h"

namespace atys::capture::native {

class LookClock {
 public:
  LookClock();

  Result<> start(uint64_t period_ns);
  void stop();
  Result<> set_period(uint64_t period_ns);
  void add_wakeups(std::vector<pollfd>& fds) const;

  // Whether it is time for the next look; one that is asked before it is time is woken again. When it is, the look after it
  // is planned. Always by the same thread.
  bool is_time();
  // Wakes for the next look, or sooner.
  void wait_for_next(uint64_t at_most_ns);
  void wait_for_next();

  // More threads are ready than can run: we look from one CPU after the other, see linux/roving_thread.h. Not for fewer: to
  // change over is to wait for a CPU, and who comes when he gets one comes in step with the system's tick.
  void rove(bool are_many) { roves_ = are_many; }

  // Nobody had a CPU at the last look: it is repeated, much sooner than the next was planned.
  void repeat();

  // Of the last look, CLOCK_MONOTONIC.
  uint64_t woken_ns() const { return woken_ns_; }
  // Somebody else had our CPU when it was time.
  bool is_late() const { return is_overslept_ || lateness_.is_late(); }

 private:
  void plan_next();
  double varied();
  Result<> set_timer(uint64_t at_ns);
  uint64_t own_wait_ns();
  void sleep_until(uint64_t at_ns);

  UniqueFd timer_;
  uint64_t period_ns_ = 0;
  uint64_t next_ns_ = 0;
  uint64_t woken_ns_ = 0;
  std::optional<linux::ThreadFiles> own_files_;  // of the thread that looks
  uint64_t own_ready_ns_ = 0;
  Lateness lateness_;
  linux::RovingThread thread_;
  bool roves_ = false;
  bool is_overslept_ = false;  // the time had come before we were ready to be woken
  reduce::Random random_;
};

}  // namespace atys::capture::native
