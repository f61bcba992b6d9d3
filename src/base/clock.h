// SPDX-License-Identifier: Apache-2.0
// Clocks in nanoseconds.
#pragma once

#include <cstdint>
#include <ctime>

namespace atys {

// CLOCK_MONOTONIC is what samples are stamped with; CLOCK_PROCESS_CPUTIME_ID what we have used ourselves.
inline uint64_t clock_ns(clockid_t clock) {
  timespec time{};
  ::clock_gettime(clock, &time);
  return static_cast<uint64_t>(time.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(time.tv_nsec);
}

}  // namespace atys
