// SPDX-License-Identifier: Apache-2.0
#include "linux/stop_refusal.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "linux/call_filter.h"
#include "linux/proc_file.h"
#include "linux/proc_text.h"
#include "linux/process.h"

namespace atys::linux {

namespace {

using Why = StopRefusal::Cause;

bool descends_from_us(pid_t pid) {
  constexpr int kMostGenerations = 1000;  // processes may change parents while we look
  const pid_t us = ::getpid();
  for (int i = 0; i < kMostGenerations && pid > 1; ++i) {
    const auto parent = parent_of(pid);
    if (!parent.ok()) return false;
    if (*parent == us) return true;
    pid = *parent;
  }
  return false;
}

bool is_refused_by_yama(pid_t pid) {
  const auto text = read_proc_file("/proc/sys/kernel/yama/ptrace_scope", 64);
  const int scope = text.ok() ? parse_number<int>(*text).value_or(0) : 0;
  return scope >= 2 || (scope == 1 && !descends_from_us(pid));
}

}  // namespace

StopRefusal explain_refusal(pid_t pid, pid_t tid, int error) {
  const auto with = [error](Why cause, pid_t tracer = 0) { return StopRefusal{cause, error, tracer}; };
  if (error == ESRCH) return with(Why::Ended);
  const auto status = read_proc_file(fmt::format("/proc/{}/task/{}/status", pid, tid), size_t{64} << 10);
  if (!status.ok()) return with(Why::Ended);
  const std::string_view state = value_of(*status, "State");
  if (state.starts_with('Z') || state.starts_with('X')) return with(Why::Ended);
  if (is_refusal(answer_to_nonsense(SystemCall::Ptrace))) return with(Why::Filter);
  if (error != EPERM && error != EACCES) return with(Why::Other);
  const pid_t tracer = parse_number<pid_t>(value_of(*status, "TracerPid")).value_or(0);
  if (tracer != 0) return with(Why::TracedByOther, tracer);
  return with(is_refused_by_yama(pid) ? Why::Yama : Why::Rights);
}

std::string to_string(const StopRefusal& refusal) {
  switch (refusal.cause) {
    case Why::None: return "nothing was refused";
    case Why::Ended: return "it has ended";
    case Why::TracedByOther: {
      const auto process = process_of_thread(refusal.tracer);
      const auto name = thread_name(process.ok() ? *process : refusal.tracer, refusal.tracer);
      return fmt::format("process {} ({}) traces it already", process.ok() ? *process : refusal.tracer,
                         name.ok() ? *name : "it has ended meanwhile");
    }
    case Why::Filter: return "a system-call filter refuses ptrace";
    case Why::Yama: return "kernel.yama.ptrace_scope refuses ptrace";
    case Why::Rights: return "it is of another user or has more rights than we have";
    case Why::OtherMachine: return "it is a program of 32 bits";
    case Why::Other: break;
  }
  return std::strerror(refusal.error);
}

}  // namespace atys::linux
