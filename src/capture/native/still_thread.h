// SPDX-License-Identifier: Apache-2.0
// A thread that waits, seen from outside without any right but that of reading its process's memory: it is not stopped, not
// woken, and does nothing for us. Its stack pointer and the place of its system call are in /proc, the stack is in its
// memory. Belongs to a source that looks at all threads of its target now and then.
#pragma once

#include <string>
#include <vector>

#include "capture/native/sample_source.h"
#include "linux/open_file.h"
#include "linux/thread_activity.h"

namespace atys::capture::native {

class StillThread {
 public:
  // Two descriptors are kept. Fails where there is no such thread, or no descriptor to be had.
  static Result<StillThread> open(pid_t pid, pid_t tid);

  enum class Look {
    Ended,
    Runs,   // or is ready to
    Same,   // waits, and has not run since the last time that look() said Waits: what was said then holds still
    Waits,  // the sample is of now
    Moved,  // it has run while we looked
  };
  // Some 2 us for Same and Runs, 30 for Waits. The spans of the sample are in `stack` and in this object: both are used
  // again by the next look.
  Look look(RawSample& sample, std::vector<std::byte>& stack);
  // The next look says Waits where it would say Same: more may be known of the process by then than when it was taken.
  void forget_sample() { has_sample_ = false; }
  // As of the last look.
  const linux::ThreadFigures& figures() const { return figures_; }

 private:
  explicit StillThread(linux::ThreadFiles files) : files_(std::move(files)) {}
  Look take(const linux::ThreadActivity& activity, RawSample& sample, std::vector<std::byte>& stack);
  bool has_stood_still(const linux::ThreadActivity& activity);
  std::string_view reason_of(const linux::ThreadActivity& activity);
  void learn_name(uint64_t now_ns);

  linux::ThreadFiles files_;
  linux::ThreadFigures figures_;
  bool has_sample_ = false;  // taken at those figures
  linux::OpenFile file_;     // that it waited for the last time
  std::string comm_;
  uint64_t named_ns_ = 0;
};

}  // namespace atys::capture::native
