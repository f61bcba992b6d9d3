// SPDX-License-Identifier: Apache-2.0
// A thread that goes before others for a while.
#pragma once

#include <sys/resource.h>
#include <sys/types.h>
#include <unistd.h>

namespace atys::linux {

// `nice` as nice(1) counts it. Without the right to it the thread stays where it is; at the end it is back there.
class ThreadPriority {
 public:
  explicit ThreadPriority(int nice) : thread_(::gettid()), before_(::getpriority(PRIO_PROCESS, 0)) {
    (void)::setpriority(PRIO_PROCESS, 0, nice);
  }
  ~ThreadPriority() { (void)::setpriority(PRIO_PROCESS, static_cast<id_t>(thread_), before_); }
  ThreadPriority(const ThreadPriority&) = delete;
  ThreadPriority& operator=(const ThreadPriority&) = delete;

 private:
  pid_t thread_;
  int before_;
};

}  // namespace atys::linux
