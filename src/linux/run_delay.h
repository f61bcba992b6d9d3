// SPDX-License-Identifier: Apache-2.0
// How long threads were ready to run and had no CPU: tells a process that waits from one that is kept waiting.
#pragma once

#include <sys/types.h>

#include <cstdint>

namespace atys::linux {

// Of all threads that a process has now, since each began; of the first thousand, where there are more. 0: not known.
uint64_t run_delay_ns(pid_t pid);

}  // namespace atys::linux
