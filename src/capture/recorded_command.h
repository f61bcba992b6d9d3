// SPDX-License-Identifier: Apache-2.0
// The command of a recording that starts its target itself: from before it begins until its exit status is known, with what
// profiling kernels did to it. Of the thread that records.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "capture/preload/shared_space.h"
#include "capture/profiling_kernel.h"
#include "capture/recording_plan.h"
#include "linux/child_process.h"

namespace atys::capture {

class RecordedCommand {
 public:
  // It is there and has not begun. `space`: what it may be started with should nothing better be permitted; null: nothing.
  static Result<RecordedCommand> create(const RecordingPlan& plan, const CommandTarget& command,
                                        const preload::SharedSpace* space);

  pid_t pid() const { return child_.pid(); }
  int pidfd() const { return child_.pidfd(); }  // readable when it has ended
  void take_space() { child_.take_optional_environment(); }
  Result<> begin() { return child_.release(); }
  // One of its processes was seen.
  void note_process(pid_t pid);
  void send_signal(int number) { child_.send_signal(number); }

  // Its exit status may not be known yet.
  bool has_ended() const { return has_ended_within(0); }
  // Looks whether it is: the exit status, or -1. The same at the end of so much time, or of the command.
  int look_for_exit() { return exit_status_ = child_.poll_exit(); }
  int wait_for_exit(int timeout_ms);
  int exit_status() const { return exit_status_; }  // as last looked at
  // Of it and what it waited for; nothing before its exit status is known.
  std::optional<uint64_t> used_cpu_ns() const;

 private:
  using Helps = std::vector<std::unique_ptr<CommandHelp>>;
  RecordedCommand(Helps helps, linux::ChildProcess child) : helps_(std::move(helps)), child_(std::move(child)) {}
  bool has_ended_within(int timeout_ms) const;

  Helps helps_;  // outlive the command
  linux::ChildProcess child_;
  int exit_status_ = -1;
};

}  // namespace atys::capture
