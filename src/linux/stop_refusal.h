// SPDX-License-Identifier: Apache-2.0
// Why the kernel does not let us stop a thread. It says EPERM to all of it; what is behind stands in /proc.
#pragma once

#include <sys/types.h>

#include <string>

namespace atys::linux {

struct StopRefusal {
  enum class Cause {
    None,
    Ended,          // it is gone, or a zombie: no refusal at all
    TracedByOther,  // a thread has one tracer: a debugger, strace
    Filter,         // a system-call filter refuses ptrace, whatever the target
    Yama,           // kernel.yama.ptrace_scope
    Rights,         // of another user, or with more rights than ours: setuid, capabilities, not dumpable
    OtherMachine,   // of 32 bits: its registers are not those that we know
    Other,          // see `error`
  };
  Cause cause = Cause::None;
  int error = 0;     // errno
  pid_t tracer = 0;  // with TracedByOther: a thread of who traces it
};

// After PTRACE_SEIZE of the thread failed with `error`.
StopRefusal explain_refusal(pid_t pid, pid_t tid, int error);

// "a system-call filter refuses ptrace", "process 12 (gdb) traces it already".
std::string to_string(const StopRefusal& refusal);

}  // namespace atys::linux
