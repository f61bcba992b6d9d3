// SPDX-License-Identifier: Apache-2.0
#include "linux/roving_thread.h"

namespace atys::linux {

void RovingThread::move(uint64_t number) {
  if (!is_bound_) {
    permitted_.clear();
    if (::sched_getaffinity(0, sizeof before_, &before_) != 0) return;  // more CPUs than the set has room for
    for (size_t cpu = 0; cpu < CPU_SETSIZE; ++cpu)
      if (CPU_ISSET(cpu, &before_)) permitted_.push_back(cpu);
  }
  if (permitted_.size() < 2) return;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(permitted_[number % permitted_.size()], &one);
  is_bound_ |= ::sched_setaffinity(0, sizeof one, &one) == 0;
}

void RovingThread::settle() {
  if (!is_bound_) return;
  is_bound_ = false;
  (void)::sched_setaffinity(0, sizeof before_, &before_);
}

}  // namespace atys::linux
