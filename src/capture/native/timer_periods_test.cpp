// SPDX-License-Identifier: Apache-2.0
#include "capture/native/timer_periods.h"

#include <gtest/gtest.h>

#include <cmath>

namespace atys::capture::native {
namespace {

constexpr uint64_t kMs = 1'000'000;

TEST(timer_periods, tick_as_often_as_was_asked_and_stand_for_all_time) {
  for (const size_t timers : {1UL, 2UL, 4UL})
    for (const uint64_t random : {0UL, 7UL, 123456789UL}) {
      const TimerFactors factors = draw_timer_factors(timers, random);
      double rate = 0;
      double time = 0;
      for (size_t i = 0; i < timers; ++i) {
        const TimerPeriods timer = timer_periods(factors, timers, i, 10 * kMs);
        rate += 1e9 / static_cast<double>(timer.period_ns);
        time += static_cast<double>(timer.weight_ns) / static_cast<double>(timer.period_ns);
      }
      EXPECT_NEAR(rate, 100, 0.01) << timers;
      EXPECT_NEAR(time, 1, 1e-6) << timers;
    }
}

TEST(timer_periods, tell_in_their_lowest_bits_which_timer_it_is) {
  for (const uint64_t average : {uint64_t{1}, uint64_t{10'000}, uint64_t{1'001'001}, uint64_t{1'000'000'000}})
    for (size_t i = 0; i < ATYS_TIMERS; ++i)
      EXPECT_EQ(timer_periods(draw_timer_factors(ATYS_TIMERS, 3), ATYS_TIMERS, i, average).period_ns % ATYS_TIMERS, i);
}

TEST(timer_periods, are_others_for_each_recording) {
  EXPECT_NE(draw_timer_factors(4, 1)[0], draw_timer_factors(4, 2)[0]);
  EXPECT_EQ(draw_timer_factors(4, 1)[0], draw_timer_factors(4, 1)[0]);
}

// The share of the first part of a loop that samples say, where the loop is as long as they are apart.
double error_on_loop(size_t timers, double loop_ns, double share, uint64_t random) {
  constexpr double kSeconds = 10;
  const TimerFactors factors = draw_timer_factors(timers, random);
  double all = 0;
  double first = 0;
  for (size_t i = 0; i < timers; ++i) {
    const TimerPeriods timer = timer_periods(factors, timers, i, 10 * kMs);
    for (double at = static_cast<double>(timer.period_ns) / 3; at < kSeconds * 1e9;
         at += static_cast<double>(timer.period_ns)) {
      all += static_cast<double>(timer.weight_ns);
      if (std::fmod(at, loop_ns) < share * loop_ns) first += static_cast<double>(timer.weight_ns);
    }
  }
  return std::abs(first / all - share);
}

TEST(timer_periods, fall_into_step_with_no_loop) {
  double worst = 0;
  double sum = 0;
  size_t loops = 0;
  for (const double ratio : {0.1, 0.25, 0.5, 1.0, 1.0001, 2.0, 3.0})
    for (uint64_t random = 0; random < 20; ++random) {
      const double error = error_on_loop(ATYS_TIMERS, ratio * 10 * kMs, 0.3, random);
      worst = std::max(worst, error);
      sum += error;
      ++loops;
    }
  EXPECT_LT(sum / static_cast<double>(loops), 0.015);
  EXPECT_LT(worst, 0.25) << "one timer of four in step";
  EXPECT_GT(error_on_loop(1, 10.0 * kMs * draw_timer_factors(1, 5)[0], 0.3, 5), 0.25)
      << "a timer alone is in step with some loop";
}

TEST(timer_periods, are_few_where_there_are_many_cpus) {
  EXPECT_EQ(timers_per_cpu(2), static_cast<size_t>(ATYS_TIMERS));
  EXPECT_EQ(timers_per_cpu(64), 2U);
  EXPECT_EQ(timers_per_cpu(256), 1U);
}

}  // namespace
}  // namespace atys::capture::native
