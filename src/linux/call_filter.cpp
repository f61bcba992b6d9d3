// SPDX-License-Identifier: Apache-2.0
#include "linux/call_filter.h"

#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

#include "linux/deadly_filter.h"
#include "linux/nonsense_call.h"

namespace atys::linux {

namespace {

constexpr unsigned long kNoSuchFlags = ~0UL;
constexpr int kNoSuchCommand = 0x7fffffff;

}  // namespace

// Flags are looked at first, before rights are.
long call_with_nonsense(SystemCall call) {
  switch (call) {
    case SystemCall::PerfEventOpen: return ::syscall(SYS_perf_event_open, nullptr, 0, 0, -1, kNoSuchFlags);
    case SystemCall::Bpf: return ::syscall(SYS_bpf, kNoSuchCommand, nullptr, 0);
    case SystemCall::ProcessVmReadv: return ::syscall(SYS_process_vm_readv, 0, nullptr, 0, nullptr, 0, kNoSuchFlags);
    case SystemCall::Ptrace: return ::syscall(SYS_ptrace, PTRACE_SEIZE, 0, nullptr, nullptr);  // no thread has number 0
    case SystemCall::MemfdCreate: return ::syscall(SYS_memfd_create, nullptr, static_cast<unsigned>(kNoSuchFlags));
    case SystemCall::SignalThread: return ::syscall(SYS_rt_tgsigqueueinfo, 0, 0, 0, nullptr);
  }
  return 0;
}

const char* to_string(SystemCall call) {
  switch (call) {
    case SystemCall::PerfEventOpen: return "perf_event_open";
    case SystemCall::Bpf: return "bpf";
    case SystemCall::ProcessVmReadv: return "process_vm_readv";
    case SystemCall::Ptrace: return "ptrace";
    case SystemCall::MemfdCreate: return "memfd_create";
    case SystemCall::SignalThread: return "rt_tgsigqueueinfo";
  }
  return "";
}

int answer_to_nonsense(SystemCall call) {
  if (!is_survivable(call)) return EPERM;
  const int before = errno;
  const int answer = call_with_nonsense(call) < 0 ? errno : 0;
  errno = before;
  return answer;
}

bool is_refusal(int answer) { return answer == EPERM || answer == EACCES || answer == ENOSYS; }

}  // namespace atys::linux
