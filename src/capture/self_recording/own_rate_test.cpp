// SPDX-License-Identifier: Apache-2.0
#include "capture/self_recording/own_rate.h"

#include <gtest/gtest.h>

#include "budget/overhead_guard.h"

namespace atys::capture {
namespace {

constexpr uint64_t kSecond = 1'000'000'000;

TEST(own_rate, a_cut_is_told_at_once_and_every_further_one_too) {
  OwnRate rate(999);
  EXPECT_EQ(rate.follow(400, 1), 400);
  EXPECT_EQ(rate.follow(100, 2), 100);
  EXPECT_EQ(rate.follow(19, 2), 19);
  EXPECT_EQ(rate.hz(), 19);
}

TEST(own_rate, a_rise_waits_and_is_told_when_it_still_holds) {
  OwnRate rate(999);
  ASSERT_EQ(rate.follow(100, kSecond), 100);
  EXPECT_FALSE(rate.follow(150, kSecond + 1));
  EXPECT_FALSE(rate.follow(999, 3 * kSecond - 1));
  EXPECT_EQ(rate.hz(), 100);
  EXPECT_EQ(rate.follow(500, 3 * kSecond), 500) << "the one of then, not those that had to wait";
}

TEST(own_rate, a_first_rise_waits_for_nothing) {
  OwnRate rate(99);
  EXPECT_EQ(rate.follow(999, 0), 999);
}

TEST(own_rate, a_trifle_is_not_worth_a_new_beginning_but_trifles_add_up) {
  OwnRate rate(100);
  EXPECT_FALSE(rate.follow(100, kSecond));
  EXPECT_FALSE(rate.follow(90, kSecond));
  EXPECT_FALSE(rate.follow(115, 9 * kSecond));
  EXPECT_EQ(rate.follow(80, 9 * kSecond), 80);
}

// What a guard does whose cap is too low for what is asked: runtimes are at most a trifle above what was granted last, and
// begin anew a few times, not ten times a second.
TEST(own_rate, follows_a_guard_that_has_to_cut) {
  budget::OverheadGuard guard({.cap = 0.005, .asked_hz = 999});
  OwnRate rate(999);
  budget::OverheadReading reading;
  int changes = rate.follow(guard.first_hz(), 0).has_value();
  for (int i = 1; i <= 600; ++i) {
    const double hz = guard.grants().back().hz;
    const double noise = i % 3 == 0 ? 1.5 : 0.75;  // what a sample costs is not always the same
    reading.elapsed_ns += kSecond / 10;
    reading.target_cpu_ns += kSecond / 10;
    reading.samples += static_cast<uint64_t>(hz / 10);
    reading.own_cpu_ns += static_cast<uint64_t>(hz / 10 * 60'000 * noise);
    changes += rate.follow(guard.update(reading), reading.elapsed_ns).has_value();
    ASSERT_LE(rate.hz(), guard.grants().back().hz * 1.25) << i;
  }
  EXPECT_LT(rate.hz(), 200);
  EXPECT_GT(changes, 0);
  EXPECT_LE(changes, 2 * 60 / 2 + 10) << "at most a rise in two seconds, and the falls between";
}

}  // namespace
}  // namespace atys::capture
