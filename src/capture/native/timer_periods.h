// SPDX-License-Identifier: Apache-2.0
// The periods of a CPU's timers. Samples at even distances fall into step with whatever in the target takes as long: of a
// loop of one millisecond, a timer of one millisecond sees the same place each time. So a CPU has several timers whose
// periods differ by some per cent, in no simple ratio, and which are drawn anew for each recording. A loop in step with one
// of them is out of step with the others. None is in step with the tick of the system, which ends the turns of threads and
// sends the signals of timers: a quarter of the samples in step with that was a handler of 24 % that seemed to have 40 %.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "capture/native/sampler_records.h"

namespace atys::capture::native {

// By which share each timer is slower than if all had the same period; on average none is.
using TimerFactors = std::array<double, ATYS_TIMERS>;

struct TimerPeriods {
  uint64_t period_ns = 0;  // of this timer; the lowest bits tell which it is
  uint64_t weight_ns = 0;  // what a sample of it stands for: those of all timers together stand for all time
};

// How many timers a CPU has: with many CPUs each costs a file and memory for each of them.
size_t timers_per_cpu(size_t cpus);

// `random` is any number; others give others.
TimerFactors draw_timer_factors(size_t timers, uint64_t random);

// `tick_ns`: linux::tick_ns(); to be out of step with it a timer may be slower or quicker by 8 %, and weighs so.
TimerPeriods timer_periods(const TimerFactors& factors, size_t timers, size_t timer, uint64_t average_ns, uint64_t tick_ns);

}  // namespace atys::capture::native
