// SPDX-License-Identifier: Apache-2.0
// Registers of a thread that stands in a stop of ptrace, and the system call that the stop came into.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>

#include "linux/perf_records.h"

namespace atys::linux {

struct StoppedRegisters {
  UserRegisters user;
  // The system call that it returns from, and what it is about to return; -1: it stands between two instructions of its own,
  // or the machine does not say (aarch64).
  int64_t call = -1;
  int64_t result = 0;
};

// Nothing where it does not stand, or is of 32 bits (then errno is 0).
std::optional<StoppedRegisters> read_stopped_registers(pid_t tid);

// Some system calls are not made again after a stop, but fail with EINTR, which a program that handles no signal never
// expects: epoll_wait, semop, sigtimedwait, sockets with a timeout. Whether this is one that has done nothing yet, so that
// it can be made again.
bool failed_because_of_us(const StoppedRegisters& registers);

// Makes the kernel do with that call what it does with others: it is made again when the thread goes on, and fails with
// EINTR only if a handler of a signal runs first. A timeout begins anew: the thread was running a moment ago, so little of
// it was over.
bool make_call_again(pid_t tid);

}  // namespace atys::linux
