// SPDX-License-Identifier: Apache-2.0
// One bounded recording of a target: starts it, keeps it inside its budget, ends it, and hands back a profile that says what
// was asked, granted, used and lost.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "budget/overhead_guard.h"
#include "capture/end_reason.h"
#include "capture/recording_plan.h"
#include "profile/profile.h"

namespace atys::capture {

// What the recording used of what it was granted.
struct RecordingUse {
  uint64_t elapsed_ns = 0;
  uint64_t samples = 0;
  uint64_t setup_cpu_ns = 0;        // before the first sample
  uint64_t own_cpu_ns = 0;          // while samples were taken, for the samples
  uint64_t first_looks_cpu_ns = 0;  // meanwhile, for what comes once: the first look at a process, a binary, an interpreter
  uint64_t kernel_cpu_ns = 0;       // our programs and the interrupts that run them
  uint64_t finish_cpu_ns = 0;       // giving names to everything, afterwards
  uint64_t target_cpu_ns = 0;
  uint64_t peak_bytes = 0;  // of memory, our process's
  double overhead = 0;      // of sampling, as a share of what the guard allows for; what comes once is not in it
  std::vector<budget::OverheadGuard::Grant> grants;
};

class Recording {
 public:
  // Everything is in place when it returns; a command has been created but not begun.
  static Result<std::unique_ptr<Recording>> open(const RecordingPlan& plan);
  ~Recording();

  Result<> start();
  // Waits for something to happen, no longer than that, and works on it.
  EndReason step(int timeout_ms);
  // What was recorded since the start or since the last call. Names are resolved here.
  Profile take_window();
  // Everything since the start, or since the last window, while the recording goes on.
  Profile so_far();
  // Another rate from now on, as far as the cap on overhead allows. Values stay true. A window that has hardly begun when
  // the rate rises begins again.
  void ask_rate(double hz);
  // Ends the recording and hands over everything.
  Profile finish();
  // Ends the command, where the recording ended first and nobody wants the rest of it.
  void end_command();
  pid_t command_pid() const;  // 0: there is none
  // The exit status of the command, which has so long to end; -1: it has not, or there is none.
  int wait_command(int timeout_ms);

  const RecordingUse& use() const;
  double elapsed_seconds() const;
  double target_cpu_seconds() const;
  std::vector<pid_t> processes() const;  // of the target that were seen; the first ones, where there are many
  double samples() const;
  std::string tier() const;
  int exit_status() const;                        // of the command; -1: it runs, or there is none
  const std::vector<std::string>& notes() const;  // what a person should know: tiers that did not work, caps that were met

 private:
  class State;
  explicit Recording(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// Everything that a finished recording leaves.
struct Recorded {
  Profile profile;
  RecordingUse use;
  std::string tier;
  int exit_status = -1;
  EndReason reason = EndReason::Running;
  std::vector<std::string> notes;
};
}  // namespace atys::capture
