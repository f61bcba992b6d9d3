// SPDX-License-Identifier: Apache-2.0
#include "capture/native/timer_periods.h"

#include <gtest/gtest.h>

#include <cmath>

namespace atys::capture::native {
namespace {

constexpr uint64_t kMs = 1'000'000;
constexpr uint64_t kNoTick = 0;

TEST(timer_periods, tick_as_often_as_was_asked_and_stand_for_all_time) {
  for (const size_t timers : {1UL, 2UL, 4UL})
    for (const uint64_t random : {0UL, 7UL, 123456789UL}) {
      const TimerFactors factors = draw_timer_factors(timers, random);
      double rate = 0;
      double time = 0;
      for (size_t i = 0; i < timers; ++i) {
        const TimerPeriods timer = timer_periods(factors, timers, i, 10 * kMs, kNoTick);
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
      EXPECT_EQ(timer_periods(draw_timer_factors(ATYS_TIMERS, 3), ATYS_TIMERS, i, average, 4 * kMs).period_ns % ATYS_TIMERS,
                i);
}

TEST(timer_periods, are_others_for_each_recording) {
  EXPECT_NE(draw_timer_factors(4, 1)[0], draw_timer_factors(4, 2)[0]);
  EXPECT_EQ(draw_timer_factors(4, 1)[0], draw_timer_factors(4, 1)[0]);
}

struct Sampled {
  uint64_t average_ns = 10 * kMs;
  uint64_t tick_ns = kNoTick;
  double seconds = 10;
  double begin = 1.0 / 3;  // of a period
};

// By how much samples are wrong about the share of the first part of a loop.
double error_on_loop(size_t timers, double loop_ns, double share, uint64_t random, const Sampled& sampled = {}) {
  const TimerFactors factors = draw_timer_factors(timers, random);
  double all = 0;
  double first = 0;
  for (size_t i = 0; i < timers; ++i) {
    const TimerPeriods timer = timer_periods(factors, timers, i, sampled.average_ns, sampled.tick_ns);
    for (double at = static_cast<double>(timer.period_ns) * sampled.begin; at < sampled.seconds * 1e9;
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

// A handler that runs for the first fifth of each tick, wherever in it the timers begin.
double worst_error_on_ticks(size_t timers, uint64_t average_ns, uint64_t tick_ns, uint64_t known_tick_ns) {
  double worst = 0;
  for (uint64_t random = 0; random < 200; ++random)
    worst = std::max(worst, error_on_loop(timers, static_cast<double>(tick_ns), 0.2, random,
                                          {average_ns, known_tick_ns, 5e-7 * static_cast<double>(average_ns) + 1,
                                           static_cast<double>(random) / 200}));
  return worst;
}

TEST(timer_periods, fall_into_step_with_no_tick) {
  for (const size_t timers : {1UL, 2UL, 4UL})
    for (const uint64_t tick : {1 * kMs, 3'333'333UL, 4 * kMs, 10 * kMs})
      for (const uint64_t average : {1'003'009UL, 2 * kMs, 5 * kMs, 10 * kMs, 10'101'010UL, 20 * kMs})
        EXPECT_LT(worst_error_on_ticks(timers, average, tick, tick), 0.06)
            << average << " ns, tick of " << tick << ", timers: " << timers;
}

TEST(timer_periods, fall_into_step_with_a_tick_that_is_not_known) {
  EXPECT_GT(worst_error_on_ticks(1, 4 * kMs, 4 * kMs, kNoTick), 0.3);
}

TEST(timer_periods, are_few_where_there_are_many_cpus) {
  EXPECT_EQ(timers_per_cpu(2), static_cast<size_t>(ATYS_TIMERS));
  EXPECT_EQ(timers_per_cpu(64), 2U);
  EXPECT_EQ(timers_per_cpu(256), 1U);
}

}  // namespace
}  // namespace atys::capture::native
