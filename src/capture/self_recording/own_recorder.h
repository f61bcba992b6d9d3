// SPDX-License-Identifier: Apache-2.0
// A runtime that samples itself, told to by us: a JVM with async-profiler, V8 through its inspector.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <vector>

#include "base/result.h"
#include "profile/profile.h"

namespace atys::capture {

// Calls block, each for a bounded time, and are made by a thread of our own, one at a time; but for end_by() nothing here is
// called by another.
class OwnRecorder {
 public:
  virtual ~OwnRecorder() = default;  // whatever was begun is ended, and nothing of it is left in the process or on its disk

  // Returns when the runtime samples.
  virtual Result<> start() = 0;
  // What was recorded since the start or since the last call. `is_last`: it has stopped then; else it goes on.
  // The profile has two value types as native ones have ("samples" and the kind's), labels thread.name and thread.id where
  // they are known, frame kinds, files and lines. Weights are the runtime's own measure: they are scaled to the CPU time
  // that the Linux kernel accounted for the same threads.
  virtual Result<Profile> take(bool is_last) = 0;
  // At which rate to sample from now on. One that has to begin anew for it keeps what it recorded since the last take() for
  // the next: a rate may be cut in the middle of a recording.
  virtual void set_rate(double) {}
  // Between calls: what to poll() for POLLIN, so that the runtime can tell us something; -1: nothing. on_wakeup() is called
  // then, as the others are, and both are asked only after a start that went well.
  virtual int wakeup_fd() const { return -1; }
  virtual void on_wakeup() {}
  // Called by another thread, also while a call is under way: that one and those after it, the destructor too, are over by
  // then, done or not. A process that answers nobody must not hold up the end of a recording.
  virtual void end_by(std::chrono::steady_clock::time_point) {}
  // The threads that its profile is of, as we number them; empty: all of the process.
  virtual std::vector<pid_t> covered_threads() const { return {}; }
  // The threads that there are in the process because of it. They wait all the time, which says nothing of the program.
  virtual std::vector<pid_t> made_threads() const { return {}; }
};

}  // namespace atys::capture
