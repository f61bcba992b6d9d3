// SPDX-License-Identifier: Apache-2.0
// Where one thread waits and for how long, from looks at it now and then.
#pragma once

#include <optional>
#include <vector>

#include "capture/native/sample_source.h"
#include "capture/native/still_thread.h"

namespace atys::capture::native {

class WaitAccount {
 public:
  // From now on. `figures` are those of the thread at this moment.
  void begin(const linux::ThreadFigures& figures);
  // Without this, the time that it was ready is all that can be told.
  void watch(pid_t pid, pid_t tid);
  bool is_watched() const { return still_.has_value(); }
  const linux::ThreadFigures& at_begin() const { return before_; }

  // Tells what it waited since the last time, if it waits now. `is_ready_apart`: somebody tells the time for which it was
  // ready, so that is no part of its waits. False: there was nothing to tell.
  bool tell(pid_t pid, pid_t tid, bool is_ready_apart, std::vector<std::byte>& stack, SampleSink& sink);
  // Ready to run, but without a CPU: `sample` shows where it lost it.
  bool tell_ready(const linux::ThreadFigures& now, const RawSample& sample, SampleSink& sink);

 private:
  std::optional<StillThread> still_;
  uint64_t began_ns_ = 0;
  linux::ThreadFigures before_;
  uint64_t told_ns_ = 0;          // of its waits
  uint64_t told_ready_ns_ = 0;    // of the time when it was ready but had no CPU
  std::optional<SampleSlot> at_;  // where it waits
};

}  // namespace atys::capture::native
