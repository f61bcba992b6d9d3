// SPDX-License-Identifier: Apache-2.0
// What time it is for the controller, and what that means for windows of a machine whose clock says something else. Every
// report is answered with the controller's time; the time since boot, which never jumps, carries it from one report to the
// next and back to windows that were recorded before (clock_stamp.h).
//
// Where both disagree the controller's time is taken, because all its agents share it, but for one case: our clock is kept
// right by somebody, and the controller's is not. Then windows keep their times, and wait if the controller has no place for
// them. Pure; one thread at a time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "fleet/clock_stamp.h"

namespace atys::fleet {

struct ClockReading {
  int64_t wall_ns = 0;  // Unix time, as this machine has it
  int64_t boot_ns = 0;  // since it was booted, sleep included
};
ClockReading read_clocks();
std::string read_boot();  // which boot this is: hexadecimal digits

// Of a window that has just ended. One in which the clock was set is taken to have ended now.
ClockStamp stamp_of(int64_t start_ns, int64_t duration_ns, const ClockReading& now, const std::string& boot);

class ControllerClock {
 public:
  explicit ControllerClock(std::string boot) : boot_(std::move(boot)) {}

  // The controller's time came between these two readings of ours.
  void note(const ClockReading& before, const ClockReading& after, int64_t controller_ns, bool is_ours_synchronized,
            bool is_its_synchronized);
  // A receiver that does not tell its time: ours is taken.
  void note_silence() { is_known_ = true; }

  // By how much a window is to be shifted, 0: not at all. Nothing: the controller has not told its time yet.
  std::optional<int64_t> shift_of(const ClockStamp& stamp) const;
  // By how much our clock is ahead of the controller's.
  int64_t ahead_ns() const { return ahead_ns_; }
  bool is_off() const;
  // For people: what is wrong, what is done about it, what to do. Empty: nothing.
  std::string trouble() const;

 private:
  const std::string boot_;
  bool is_known_ = false;
  bool is_told_ = false;
  bool keeps_own_ = false;     // our clock is the better one
  int64_t true_ahead_ns_ = 0;  // what time it really is, minus the time since boot
  int64_t ahead_ns_ = 0;
  int64_t error_ns_ = 0;  // half of how long the answer took
};

}  // namespace atys::fleet
