// SPDX-License-Identifier: Apache-2.0
#include "fleet/controller/load_governor.h"

#include <gtest/gtest.h>

namespace atys::fleet {

namespace {

constexpr uint64_t kSecond = 1'000'000'000;

struct Clocked {
  LoadGovernor governor;
  uint64_t now = kSecond;

  double after(int seconds, double load, bool turned_away = false) {
    for (int i = 0; i < seconds; ++i) governor.update(now += kSecond, load, turned_away);
    return governor.factor();
  }
};

}  // namespace

TEST(load_governor, asks_for_less_where_things_pile_up_and_for_all_again_when_they_are_gone) {
  Clocked clocked;
  EXPECT_EQ(clocked.after(60, 0.1), 1);
  const double low = clocked.after(20, 0.9);
  EXPECT_LT(low, 0.2);
  EXPECT_LT(clocked.after(2, 0.0), 0.2);  // not at once
  EXPECT_EQ(clocked.after(600, 0.0), 1);
}

TEST(load_governor, holds_between_the_marks) {
  Clocked clocked;
  clocked.after(10, 0.9);
  clocked.after(20, 0.35);
  const double held = clocked.governor.factor();
  EXPECT_EQ(clocked.after(100, 0.35), held);
}

TEST(load_governor, a_moment_changes_nothing_and_turning_away_counts_as_full) {
  Clocked clocked;
  EXPECT_EQ(clocked.after(1, 0.9), 1);
  EXPECT_EQ(clocked.after(5, 0.0), 1);
  EXPECT_LT(clocked.after(10, 0.0, true), 0.5);
}

TEST(load_governor, never_asks_for_nothing) {
  Clocked clocked;
  EXPECT_EQ(clocked.after(1000, 5), LoadGovernor::kLeastFactor);
}

}  // namespace atys::fleet
