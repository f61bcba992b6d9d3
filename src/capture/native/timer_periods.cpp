// SPDX-License-Identifier: Apache-2.0
#include "capture/native/timer_periods.h"

#include <algorithm>
#include <cmath>

namespace atys::capture::native {

namespace {

constexpr double kSpread = 0.4;  // from the quickest to the slowest
constexpr double kDrawn = 0.05;  // of that, by chance
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

TimerPeriods timer_periods(const TimerFactors& factors, size_t timers, size_t timer, uint64_t average_ns) {
  const double period = static_cast<double>(average_ns) * factors[timer] * static_cast<double>(timers);
  const uint64_t even = std::max<uint64_t>(static_cast<uint64_t>(std::llround(period)), ATYS_TIMERS) / ATYS_TIMERS;
  const uint64_t period_ns = even * ATYS_TIMERS + timer;
  return {period_ns, std::max<uint64_t>(1, period_ns / timers)};
}

}  // namespace atys::capture::native
