// SPDX-License-Identifier: Apache-2.0
#include "capture/native/timer_periods.h"

#include <algorithm>
#include <cmath>

namespace atys::capture::native {

namespace {

constexpr double kSpread = 0.4;      // from the quickest to the slowest
constexpr double kDrawn = 0.05;      // of that, by chance
constexpr double kOutOfStep = 0.06;  // of a tick: then a timer is at each place of the ticks within seventeen samples
constexpr int kFewPlaces = 4;        // in step is also who is at few places, in turn
constexpr double kTuned = 0.08;      // by how much a period is changed at most to be out of step
constexpr double kTuning = 0.0025;
constexpr size_t kManyCpus = 32;
constexpr size_t kVeryManyCpus = 96;

// Fractions of the golden ratio: no two of them are near a simple ratio.
double golden(size_t index) {
  const double turns = static_cast<double>(index + 1) * 0.6180339887498949;
  return turns - std::floor(turns);
}

double drawn(uint64_t random, size_t timer) {
  const uint64_t mixed = atys_mix(atys_mix(ATYS_COOKIE_SEED, random), timer);
  return (static_cast<double>(mixed >> 11) * 0x1p-53 - 0.5) * kDrawn;
}

// How far the timer moves along the ticks from one sample to the next; where it is at few places in turn, from one round to
// the next.
double drift(double period, double tick) {
  double least = 1;
  for (int places = 1; places <= kFewPlaces; ++places) {
    const double turns = places * period / tick;
    least = std::min(least, std::abs(turns - std::round(turns)));
  }
  return least;
}

// The period nearest to this one that is out of step with the tick.
double tuned(double period, uint64_t tick_ns) {
  if (tick_ns == 0) return period;
  const auto tick = static_cast<double>(tick_ns);
  double best = period;
  for (double by = 0; by <= kTuned && drift(best, tick) < kOutOfStep; by += kTuning)
    for (const double other : {period * (1 + by), period * (1 - by)})
      if (drift(other, tick) > drift(best, tick)) best = other;
  return best;
}

}  // namespace

size_t timers_per_cpu(size_t cpus) {
  if (cpus > kVeryManyCpus) return 1;
  return cpus > kManyCpus ? 2 : ATYS_TIMERS;
}

TimerFactors draw_timer_factors(size_t timers, uint64_t random) {
  TimerFactors factors;
  factors.fill(1);
  double rate = 0;
  for (size_t i = 0; i < timers; ++i) {
    const double place = timers == 1 ? 0.5 : golden(i);
    factors[i] = 1 + (place - 0.5) * kSpread + drawn(random, i);
    rate += 1 / factors[i] / static_cast<double>(timers);
  }
  for (size_t i = 0; i < timers; ++i) factors[i] *= rate;
  return factors;
}

TimerPeriods timer_periods(const TimerFactors& factors, size_t timers, size_t timer, uint64_t average_ns, uint64_t tick_ns) {
  const double period = tuned(static_cast<double>(average_ns) * factors[timer] * static_cast<double>(timers), tick_ns);
  const uint64_t even = std::max<uint64_t>(static_cast<uint64_t>(std::llround(period)), ATYS_TIMERS) / ATYS_TIMERS;
  const uint64_t period_ns = even * ATYS_TIMERS + timer;
  return {period_ns, std::max<uint64_t>(1, period_ns / timers)};
}

}  // namespace atys::capture::native
