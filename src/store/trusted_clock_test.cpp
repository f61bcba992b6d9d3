// SPDX-License-Identifier: Apache-2.0
#include "store/trusted_clock.h"

#include <gtest/gtest.h>

namespace atys::test {

using store::TrustedClock;

namespace {

constexpr int64_t kOneMinute = 60'000'000'000;
constexpr int64_t kOneHour = 60 * kOneMinute;
constexpr int64_t kOneDay = 24 * kOneHour;
constexpr int64_t kNow = 20'000 * kOneDay;

}  // namespace

TEST(trusted_clock, goes_with_a_clock_that_is_right) {
  TrustedClock clock(0, kNow, 0);
  EXPECT_FALSE(clock.odd_start());
  for (int64_t i = 1; i <= 100; ++i) EXPECT_FALSE(clock.update(kNow + i * kOneMinute, i * kOneMinute));
  EXPECT_EQ(clock.now_ns(kNow), kNow + 100 * kOneMinute);
  EXPECT_EQ(clock.jumps(), 0u);
}

TEST(trusted_clock, does_not_follow_a_clock_that_is_set_forward_and_tells_it) {
  TrustedClock clock(0, kNow, 0);
  const auto told = clock.update(kNow + 400 * kOneDay, kOneMinute);
  ASSERT_TRUE(told);
  EXPECT_NE(told->find("forward by 400.0 days"), std::string::npos) << *told;
  EXPECT_LE(clock.now_ns(kNow + 400 * kOneDay), kNow + 2 * kOneMinute) << "whatever came in with the wrong time";
  EXPECT_FALSE(clock.update(kNow + 400 * kOneDay + kOneMinute, 2 * kOneMinute)) << "told once";
  EXPECT_TRUE(clock.update(kNow + 3 * kOneMinute, 3 * kOneMinute));
  EXPECT_EQ(clock.now_ns(kNow), kNow + 3 * kOneMinute) << "as if nothing had been";
  EXPECT_EQ(clock.jumps(), 2u);
}

TEST(trusted_clock, starts_from_what_was_saved_and_catches_up) {
  TrustedClock clock(kNow, kNow + 10 * kOneDay, 0);
  ASSERT_TRUE(clock.odd_start());
  EXPECT_EQ(clock.now_ns(kNow + 10 * kOneDay), kNow);
  for (int64_t i = 1; i <= 9; ++i) clock.update(kNow + (10 + i) * kOneDay, i * kOneDay);
  EXPECT_EQ(clock.now_ns(0), kNow + 18 * kOneDay);
  clock.update(kNow + 21 * kOneDay, 11 * kOneDay);
  EXPECT_EQ(clock.now_ns(0), kNow + 21 * kOneDay);
}

TEST(trusted_clock, believes_what_comes_in_where_the_clock_is_behind) {
  TrustedClock clock(kNow, kNow - 400 * kOneDay, 0);
  ASSERT_TRUE(clock.odd_start());
  clock.update(kNow - 400 * kOneDay + kOneHour, kOneHour);
  EXPECT_EQ(clock.now_ns(kNow + kOneHour), kNow);
  // A machine that was set up with its clock ahead: neither the clock nor what comes in says so any more.
  TrustedClock ahead(kNow + 400 * kOneDay, kNow, 0);
  EXPECT_EQ(ahead.now_ns(kNow - kOneMinute), kNow);
}

TEST(trusted_clock, knows_what_two_of_three_say) {
  const TrustedClock after_a_week(kNow - 7 * kOneDay, kNow, 0);
  EXPECT_EQ(after_a_week.agreed_ns(kNow - kOneMinute), kNow - kOneMinute) << "others say so too";
  EXPECT_EQ(after_a_week.agreed_ns(kNow - 7 * kOneDay), kNow - 7 * kOneDay);
  const TrustedClock ahead(kNow, kNow + 400 * kOneDay, 0);
  EXPECT_EQ(ahead.agreed_ns(kNow + kOneMinute), kNow + kOneMinute);
  const TrustedClock behind(kNow, kNow - 400 * kOneDay, 0);
  EXPECT_EQ(behind.agreed_ns(kNow - kOneMinute), kNow - kOneMinute);
}

}  // namespace atys::test
