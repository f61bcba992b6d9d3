// SPDX-License-Identifier: Apache-2.0
#include "capture/look_times.h"

#include <gtest/gtest.h>

namespace atys::capture {
namespace {

constexpr uint64_t kMs = 1'000'000;
constexpr uint64_t kBegin = 5'000 * kMs;

LookTimes begun(const LookTimes::Plan& plan) {
  LookTimes times(plan);
  times.begin(kBegin);
  return times;
}

TEST(look_times, looks_often_at_the_beginning_and_seldom_when_nothing_comes) {
  LookTimes times = begun({});
  EXPECT_EQ(times.next(kBegin, true, false), kBegin + 100 * kMs);
  EXPECT_EQ(times.next(kBegin, true, true), kBegin + 10 * kMs) << "somebody waits for answers";
  times.looked_at_cost(kBegin + 100 * kMs, true);
  EXPECT_EQ(times.next(kBegin + 100 * kMs, true, false), kBegin + 200 * kMs) << "what a sample costs is not known yet";
  const uint64_t later = kBegin + 3'000 * kMs;
  times.looked_at_cost(later, true);
  EXPECT_EQ(times.next(later, true, true), later + 2'000 * kMs);
  EXPECT_EQ(times.next(later, false, false), later + 250 * kMs) << "rings run over";
  times.looked_at_cost(later, false);
  EXPECT_EQ(times.next(later, true, false), later + 250 * kMs) << "it is near its cap";
}

TEST(look_times, what_comes_early_is_looked_at_early) {
  LookTimes times = begun({});
  const uint64_t later = kBegin + 3'000 * kMs;
  times.looked_at_cost(later, true);
  times.on_wakeup();
  EXPECT_FALSE(times.is_cost_due(later + 249 * kMs));
  EXPECT_TRUE(times.is_cost_due(later + 250 * kMs));
  times.looked_at_cost(later, true);
  times.on_higher_rate(later);
  EXPECT_TRUE(times.is_cost_due(later + 100 * kMs));
}

TEST(look_times, ends_when_its_time_is_over) {
  const LookTimes times = begun({.duration_ns = 50 * kMs});
  EXPECT_EQ(times.next(kBegin, true, false), kBegin + 50 * kMs);
  EXPECT_FALSE(times.is_over(kBegin + 49 * kMs));
  EXPECT_TRUE(times.is_over(kBegin + 50 * kMs));
  EXPECT_EQ(times.next(kBegin + 60 * kMs, true, false), kBegin + 60 * kMs) << "the past is no time to wake up at";
  EXPECT_FALSE(begun({}).is_over(UINT64_MAX));
}

TEST(look_times, an_agent_looks_at_its_target_less_often) {
  for (const bool is_for_good : {false, true}) {
    LookTimes times = begun({.is_for_good = is_for_good});
    EXPECT_TRUE(times.is_target_due(kBegin + 500 * kMs));
    times.looked_at_target(kBegin);
    EXPECT_EQ(times.is_target_due(kBegin + 500 * kMs), !is_for_good);
    EXPECT_TRUE(times.is_target_due(kBegin + 2'000 * kMs));
    times.looked_at_target(kBegin + 2'000 * kMs);
    times.on_target_wakeup();
    EXPECT_TRUE(times.is_target_due(kBegin + 2'000 * kMs)) << "one of it has ended";
  }
}

TEST(look_times, parts_grow_when_there_are_as_many_as_are_kept) {
  EXPECT_FALSE(begun({}).is_part_due(UINT64_MAX));
  LookTimes times = begun({.tells_phases = true});
  EXPECT_FALSE(times.is_part_due(kBegin + 199 * kMs));
  EXPECT_TRUE(times.is_part_due(kBegin + 200 * kMs));
  times.began_part(kBegin + 200 * kMs, true);
  EXPECT_FALSE(times.is_part_due(kBegin + 599 * kMs));
  EXPECT_TRUE(times.is_part_due(kBegin + 600 * kMs));
}

}  // namespace
}  // namespace atys::capture
