// SPDX-License-Identifier: Apache-2.0
#include "capture/native/wait_account.h"

#include "base/clock.h"
#include "base/difference.h"

namespace atys::capture::native {

void WaitAccount::begin(const linux::ThreadFigures& figures) {
  began_ns_ = clock_ns(CLOCK_MONOTONIC);
  before_ = figures;
}

void WaitAccount::watch(pid_t pid, pid_t tid) {
  if (auto still = StillThread::open(pid, tid); still.ok()) still_.emplace(still.take());
}

// The time since the last look for which it did not run goes to where it waits; if that is another place than before, half
// of it to that: it went from one to the other at some moment between. What it ran is known exactly only while it does not.
bool WaitAccount::tell(pid_t pid, pid_t tid, bool is_ready_apart, std::vector<std::byte>& stack, SampleSink& sink) {
  RawSample raw{.time_ns = clock_ns(CLOCK_MONOTONIC), .pid = pid, .tid = tid};
  const StillThread::Look look = still_->look(raw, stack);
  if (look != StillThread::Look::Waits && look != StillThread::Look::Same) return false;
  const std::optional<SampleSlot> before = at_;
  if (look == StillThread::Look::Waits) at_ = sink.on_stack(raw);
  if (!at_) return false;
  const linux::ThreadFigures& now = still_->figures();
  const uint64_t ready_ns = is_ready_apart ? difference_or_zero(now.ready_ns, before_.ready_ns) : 0;
  const uint64_t busy_ns = difference_or_zero(now.ran_ns, before_.ran_ns) + ready_ns;
  const uint64_t waited_ns = difference_or_zero(clock_ns(CLOCK_MONOTONIC) - began_ns_, busy_ns);
  if (waited_ns <= told_ns_) return false;
  const uint64_t since_ns = waited_ns - told_ns_;
  const uint64_t before_ns = look == StillThread::Look::Waits && before ? since_ns / 2 : 0;
  if (before_ns > 0) sink.add(*before, 0, before_ns);
  sink.add(*at_, 1, since_ns - before_ns);
  told_ns_ = waited_ns;
  return true;
}

bool WaitAccount::tell_ready(const linux::ThreadFigures& now, const RawSample& sample, SampleSink& sink) {
  const uint64_t ready_ns = difference_or_zero(now.ready_ns, before_.ready_ns);
  if (ready_ns <= told_ready_ns_) return false;
  RawSample named = sample;
  named.note.wait = "cpu";
  sink.add(sink.on_stack(named), 1, ready_ns - told_ready_ns_);
  told_ready_ns_ = ready_ns;
  return true;
}

}  // namespace atys::capture::native
