// SPDX-License-Identifier: Apache-2.0
// CPU time that we have used ourselves, with that of processes that work for us: what is done elsewhere is not done for
// nothing.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/clock.h"

namespace atys {

namespace helper_cpu {
inline std::atomic<uint64_t> of_all_ns = 0;
inline thread_local uint64_t of_this_thread_ns = 0;  // that it waited for
}  // namespace helper_cpu

// By a process that worked for the calling thread.
inline void add_helper_cpu(uint64_t ns) {
  helper_cpu::of_all_ns += ns;
  helper_cpu::of_this_thread_ns += ns;
}

inline uint64_t own_cpu_ns() { return clock_ns(CLOCK_PROCESS_CPUTIME_ID) + helper_cpu::of_all_ns; }
inline uint64_t own_cpu_of_this_thread_ns() { return clock_ns(CLOCK_THREAD_CPUTIME_ID) + helper_cpu::of_this_thread_ns; }

}  // namespace atys
