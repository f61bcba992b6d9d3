// SPDX-License-Identifier: Apache-2.0
#include "linux/thread_stopper.h"

#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/clock.h"
#include "linux/deadly_filter.h"
#include "linux/process.h"
#include "linux/trace_event.h"

namespace atys::linux {

namespace {

using Kind = TraceEvent::Kind;

// Who only waits for a CPU gets one, however busy the machine is. Left behind, it would stand until our thread ends.
constexpr uint64_t kPatienceAtTheEnd = 5'000'000'000;

// While it stands, its number cannot be given to another.
bool is_thread_of(pid_t pid, pid_t tid) { return ::syscall(SYS_tgkill, pid, tid, 0) == 0 || errno != ESRCH; }

bool is_zombie(pid_t pid, pid_t tid) {
  const auto state = thread_state(pid, tid);
  return state.ok() && *state == 'Z';
}

// While another thread calls exec, the kernel lets us wait for the end of it, and then refuses the first thread as it was:
// it is dead, and another has its number. Asked again, it means that one.
bool seize(pid_t tid) {
  errno = EPERM;
  if (!is_survivable(SystemCall::Ptrace)) return false;
  for (int tries = 0; tries < 3; ++tries) {
    if (::ptrace(PTRACE_SEIZE, tid, nullptr, nullptr) == 0) return true;
    if (errno != EPERM) return false;
  }
  return false;
}

}  // namespace

StopResult ThreadStopper::stop_shortly(pid_t pid, pid_t tid, const Look& look) {
  pass_on_events();
  // An exec in that process would wait for us to bury the thread that we hold, and our next request for the exec.
  const auto waits_for_us = [pid](const Held& held) { return held.pid == pid && !held.is_dead_leader; };
  if (std::any_of(held_.begin(), held_.end(), waits_for_us)) return {StopOutcome::Busy, {}};
  if (options_.only_running) {
    const auto state = thread_state(pid, tid);
    if (!state.ok() || *state == 'Z' || *state == 'X') return {StopOutcome::Ended, {}};
    if (*state != 'R') return {StopOutcome::Asleep, {}};
  }
  if (!seize(tid)) return refused(explain_refusal(pid, tid, errno));
  // From here on only a stop, or the end of the thread, parts us from it.
  const uint64_t asked_ns = clock_ns(CLOCK_MONOTONIC);
  ::ptrace(PTRACE_INTERRUPT, tid, nullptr, nullptr);
  return await_and_look({pid, tid, asked_ns}, look);
}

StopResult ThreadStopper::refused(const StopRefusal& refusal) {
  if (refusal.cause == StopRefusal::Cause::Ended) return {StopOutcome::Ended, {}};
  ++figures_.refused;
  return {StopOutcome::Refused, refusal};
}

StopResult ThreadStopper::await_and_look(const Held& held, const Look& look) {
  const TraceEvent event = await_trace_event(held.tid, held.paused_since_ns + options_.patience_ns);
  return event.stands() ? look_while_it_stands(held, event, look) : without_a_stop(held);
}

StopResult ThreadStopper::look_while_it_stands(const Held& held, const TraceEvent& event, const Look& look) {
  const auto registers = read_stopped_registers(held.tid);
  const bool is_of_32_bits = !registers && errno == 0;
  const bool can_look = registers && event.kind != Kind::Group && is_thread_of(held.pid, held.tid);
  if (can_look) look({held.pid, held.tid, registers->user});
  let_go(held, event, registers);
  if (can_look) return {StopOutcome::Looked, {}};
  if (is_of_32_bits) return refused({StopRefusal::Cause::OtherMachine, ENOTSUP, 0});
  return {event.kind == Kind::Group ? StopOutcome::Asleep : StopOutcome::Ended, {}};
}

StopResult ThreadStopper::without_a_stop(Held held) {
  if (try_to_finish(held)) return {StopOutcome::Ended, {}};
  const bool has_ended = held.is_dead_leader || held.has_new_number;
  if (!has_ended) ++figures_.busy;
  held.is_late = true;
  held_.push_back(held);
  return {has_ended ? StopOutcome::Ended : StopOutcome::Busy, {}};
}

void ThreadStopper::let_go(const Held& held, const TraceEvent& event, const std::optional<StoppedRegisters>& registers) {
  if (registers && failed_because_of_us(*registers) && make_call_again(held.tid)) ++figures_.made_again;
  // The signal keeps what came with it (siginfo) as long as its number is the same.
  const int signal = event.kind == Kind::Signal ? event.signal : 0;
  const bool is_free = ::ptrace(PTRACE_DETACH, held.tid, nullptr, static_cast<long>(signal)) == 0;
  const uint64_t paused_ns = clock_ns(CLOCK_MONOTONIC) - held.paused_since_ns;
  if (!is_free) held_.push_back({held.pid, held.tid, held.paused_since_ns});  // killed where it stood: to be buried
  ++figures_.stops;
  figures_.paused_ns += paused_ns;
  figures_.longest_ns = std::max(figures_.longest_ns, paused_ns);
  if (held.is_late) ++figures_.undone_late;
  if (event.kind == Kind::Signal) ++figures_.signals_seen;
}

bool ThreadStopper::try_to_finish(Held& held) {
  const uint64_t now_ns = clock_ns(CLOCK_MONOTONIC);
  const TraceEvent event = peek_trace_event(held.tid);
  if (event.stands()) {
    let_go(held, event, read_stopped_registers(held.tid));
    return true;
  }
  held.paused_since_ns = now_ns;
  switch (event.kind) {
    case Kind::Died: bury(held.pid, held.tid); return true;
    case Kind::Gone:
      // Who calls exec gets the number of the process, and we are still its tracer.
      if (held.tid == held.pid || !is_traced_by_us(held.pid)) return true;
      held.tid = held.pid;
      held.has_new_number = true;
      return false;
    default:
      // The first thread may end before the others; its process then ends with the last of them.
      held.is_dead_leader = held.tid == held.pid && is_zombie(held.pid, held.tid);
      return false;
  }
}

void ThreadStopper::pass_on_events() {
  if (held_.empty()) return;
  std::vector<Held> before;
  before.swap(held_);  // letting go may add some
  for (Held& held : before)
    if (!try_to_finish(held)) held_.push_back(held);
}

bool ThreadStopper::look_at_late(const Look& look) {
  for (auto one = held_.begin(); one != held_.end(); ++one) {
    const TraceEvent event = peek_trace_event(one->tid);
    if (!event.stands()) continue;
    const Held held = *one;
    held_.erase(one);  // letting go may add some
    look_while_it_stands(held, event, look);
    return true;
  }
  return false;
}

bool ThreadStopper::holds(pid_t tid) const {
  return std::ranges::any_of(held_, [tid](const Held& held) { return held.tid == tid; });
}

bool ThreadStopper::holds_any() const {
  return std::ranges::any_of(held_, [](const Held& held) { return !held.is_dead_leader; });
}

bool ThreadStopper::will_stop_soon() const {
  return std::any_of(held_.begin(), held_.end(), [](const Held& held) {
    const auto state = thread_state(held.pid, held.tid);
    return !held.is_dead_leader && state.ok() && *state != 'D';
  });
}

size_t ThreadStopper::release() {
  const uint64_t begun_ns = clock_ns(CLOCK_MONOTONIC);
  const auto is_over = [begun_ns](uint64_t patience_ns) { return clock_ns(CLOCK_MONOTONIC) - begun_ns >= patience_ns; };
  pass_on_events();
  while (!held_.empty() && !is_over(will_stop_soon() ? kPatienceAtTheEnd : options_.patience_ns)) {
    await_trace_event(held_.front().tid, clock_ns(CLOCK_MONOTONIC) + 1'000'000);
    pass_on_events();
  }
  return held_.size();
}

}  // namespace atys::linux
