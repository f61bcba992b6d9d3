// SPDX-License-Identifier: Apache-2.0
#include "capture/native/looked_at.h"

#include <algorithm>

#include "base/difference.h"

namespace atys::capture::native {

bool is_overdue(const LookedThread& thread, uint64_t period_ns) {
  constexpr uint64_t kMostPeriods = 4;
  constexpr uint64_t kLongNs = 1'000'000'000;
  return difference_or_zero(thread.ran_ns, thread.told_ns) > std::max(kMostPeriods * period_ns, kLongNs);
}

bool made_room_for_us(const LookedThread& thread, const linux::ThreadFigures& now, uint64_t at_ns) {
  constexpr uint64_t kWakingNs = 60'000;  // from the timer to our first look at the clock
  return thread.asked_ns != 0 &&
         difference_or_zero(now.ready_ns, thread.delay_ns) <= difference_or_zero(at_ns, thread.asked_ns) + kWakingNs;
}

bool was_on_cpu(LookedThread& thread, uint64_t switches, uint64_t taken_ns) {
  if (thread.turns.is_on_cpu(thread.arrivals, switches)) return true;
  const auto time = thread.files->figures();
  if (!time) return false;
  thread.turns.learn_on_cpu(switches, time->turns);
  return made_room_for_us(thread, *time, taken_ns);
}

bool is_on_cpu(LookedThread& thread) {
  const auto switches = linux::switches_of(thread.files->pid(), thread.files->tid());
  if (!switches) return false;
  if (thread.turns.is_on_cpu(thread.seen_arrivals, *switches)) return true;
  if (const auto time = thread.files->figures()) thread.turns.learn(*switches, time->turns);
  return false;
}

}  // namespace atys::capture::native
