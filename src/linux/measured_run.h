// SPDX-License-Identifier: Apache-2.0
// One run of a command from its first instruction to the end of the last process that it started, measured from outside:
// what a program says of its own speed need not be so.
//
// Processes that outlive the command are waited for as long as they stay in its process group, and count: work moved into
// the background is still work. Our process becomes the one that orphans are given to (PR_SET_CHILD_SUBREAPER).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"

namespace atys::linux {

struct RunLimits {
  uint64_t deadline_ns = 0;          // of CLOCK_MONOTONIC; 0: none
  int stop_fd = -1;                  // ends the run when it becomes readable; -1: none
  size_t padding = 0;                // bytes to add to its environment
  bool counts_instructions = false;  // try it
  std::optional<int> nice;           // its priority, as nice(1) counts; none: ours
};

struct MeasuredRun {
  uint64_t wall_ns = 0;
  uint64_t cpu_ns = 0;      // user and system, of all processes
  uint64_t queue_ns = 0;    // the command's first thread was ready, but others had the CPUs; 0 where the kernel does not say
  uint64_t peak_bytes = 0;  // of the largest process
  int exit_status = 0;      // as a shell gives it
  bool was_stopped = false;  // by a limit: the figures mean nothing
  unsigned left_behind = 0;  // processes that outlived the command
  std::optional<uint64_t> instructions;
  uint64_t output_bytes = 0;  // of standard output, which is read and dropped
  uint64_t output_hash = 0;
  std::string error_tail;  // the end of standard error
};

// Standard input is empty.
Result<MeasuredRun> run_measured(const std::vector<std::string>& command, const RunLimits& limits = {});

}  // namespace atys::linux
