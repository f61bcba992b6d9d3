// SPDX-License-Identifier: Apache-2.0
#include "linux/trace_event.h"

#include <fmt/format.h>
#include <pthread.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <ctime>

#include "base/clock.h"
#include "linux/proc_file.h"
#include "linux/proc_text.h"

namespace atys::linux {

namespace {

using Kind = TraceEvent::Kind;

// The kernel sends us SIGCHLD when a traced thread stops. Held back, it ends sigtimedwait() at once: as good as a blocking
// wait, but bounded. It means nothing else to us, so nobody misses those that are taken here.
class StopSignals {
 public:
  StopSignals() {
    sigemptyset(&awaited_);
    sigaddset(&awaited_, SIGCHLD);
    ::pthread_sigmask(SIG_BLOCK, &awaited_, &before_);
  }
  ~StopSignals() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  void await(uint64_t at_most_ns) const {
    const timespec time{0, static_cast<long>(std::min<uint64_t>(at_most_ns, 999'999'999))};
    ::sigtimedwait(&awaited_, nullptr, &time);
  }

 private:
  sigset_t awaited_;
  sigset_t before_;
};

TraceEvent stop_event(int status) {
  const int signal = status & 0x7f;
  if (status >> 8 != PTRACE_EVENT_STOP) return {Kind::Signal, signal};
  return {signal == SIGTRAP ? Kind::Asked : Kind::Group, signal};
}

// Of /proc/PID/status.
pid_t number_in_status(pid_t pid, std::string_view key) {
  const auto status = read_proc_file(fmt::format("/proc/{}/status", pid), size_t{64} << 10);
  return status.ok() ? parse_number<pid_t>(value_of(*status, key)).value_or(-1) : -1;
}

}  // namespace

TraceEvent peek_trace_event(pid_t tid) {
  siginfo_t info{};
  const int what = WSTOPPED | WEXITED | WNOWAIT | WNOHANG | __WALL;
  if (::waitid(P_PID, static_cast<id_t>(tid), &info, what) != 0) return {errno == EINTR ? Kind::None : Kind::Gone};
  if (info.si_pid == 0) return {};
  switch (info.si_code) {
    case CLD_TRAPPED: return stop_event(info.si_status);
    case CLD_STOPPED:  // a child of ours, stopped by job control: we are no longer its tracer
      return {Kind::Gone};
    default: return {Kind::Died};
  }
}

TraceEvent await_trace_event(pid_t tid, uint64_t deadline_ns) {
  const StopSignals signals;
  // Another thread of ours may have swallowed the signal: look again soon, then less and less often.
  for (uint64_t step_ns = 100'000;; step_ns = std::min<uint64_t>(step_ns * 2, 1'000'000)) {
    const TraceEvent event = peek_trace_event(tid);
    const uint64_t now_ns = clock_ns(CLOCK_MONOTONIC);
    if (event.kind != Kind::None || now_ns >= deadline_ns) return event;
    signals.await(std::min(step_ns, deadline_ns - now_ns));
  }
}

void bury(pid_t pid, pid_t tid) {
  if (tid == pid) {
    const pid_t parent = number_in_status(pid, "PPid");
    if (parent == ::getpid() || parent < 0) return;
  }
  siginfo_t info{};
  ::waitid(P_PID, static_cast<id_t>(tid), &info, WEXITED | WNOHANG | __WALL);
}

bool is_traced_by_us(pid_t pid) { return number_in_status(pid, "TracerPid") == ::gettid(); }

}  // namespace atys::linux
