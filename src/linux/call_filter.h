// SPDX-License-Identifier: Apache-2.0
// Whether a system call reaches the kernel at all. A filter (seccomp), as containers have one, decides by the number of the
// call alone: it refuses a call whose arguments are nonsense just as it refuses a good one, where the kernel says that they
// are nonsense. So we ask that, and need not guess whom an EPERM is from.
#pragma once

namespace atys::linux {

enum class SystemCall { PerfEventOpen, Bpf, ProcessVmReadv, Ptrace, MemfdCreate, SignalThread };
// "perf_event_open"
const char* to_string(SystemCall call);

// The errno of the call with arguments that no kernel takes. Changes nothing.
int answer_to_nonsense(SystemCall call);

// Whether such an answer is that of a filter, or of a kernel without the call. One exception: until 5.19 kernels asked for
// the right to use bpf before they looked at anything else.
bool is_refusal(int answer);

}  // namespace atys::linux
