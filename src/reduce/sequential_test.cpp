// SPDX-License-Identifier: Apache-2.0
#include "reduce/sequential.h"

#include <gtest/gtest.h>

#include <cmath>

#include "reduce/distributions.h"
#include "reduce/random.h"

namespace atys::reduce {

TEST(sequential, looks_grow_and_end_with_the_last_pair) {
  EXPECT_EQ(looks_up_to(30), (std::vector<size_t>{7, 12, 20, 30}));
  EXPECT_EQ(looks_up_to(25), (std::vector<size_t>{7, 12, 20, 25}));
  EXPECT_EQ(looks_up_to(7), (std::vector<size_t>{7}));
}

TEST(sequential, one_look_has_all_of_it) { EXPECT_NEAR(SpendingPlan(30).next_level(30, true), 0.05, 1e-4); }

// Pocock's constant for five equal looks is 2.413: each test at 1.58 %. Spending functions come close to it.
TEST(sequential, levels_are_those_of_pocock) {
  SpendingPlan plan(50);
  for (size_t look = 1; look <= 5; ++look) EXPECT_NEAR(plan.next_level(10 * look, look == 5), 0.0158, 0.0025) << look;
}

TEST(sequential, seven_pairs_can_decide_where_thirty_are_planned) {
  EXPECT_GT(SpendingPlan(30).next_level(7, false), 2.0 / 128);
}

// Walks without a drift cross the bound at any of the looks in 5 % of cases.
TEST(sequential, false_alarms_over_all_looks_are_five_percent) {
  for (const size_t most : {30u, 100u}) {
    SpendingPlan plan(most);
    const std::vector<size_t> looks = looks_up_to(most);
    std::vector<double> bounds;
    for (const size_t look : looks) bounds.push_back(normal_quantile(1 - plan.next_level(look, look == most) / 2));
    Random random(7);
    const int walks = 20'000;
    int alarms = 0;
    for (int walk = 0; walk < walks; ++walk) {
      double at = 0;
      size_t step = 0;
      for (size_t k = 0; k < looks.size(); ++k) {
        const double length = std::sqrt(static_cast<double>(looks[k] - step));
        at += normal_quantile(random.uniform()) * length;
        step = looks[k];
        if (std::abs(at) / std::sqrt(static_cast<double>(step)) > bounds[k]) {
          ++alarms;
          break;
        }
      }
    }
    EXPECT_NEAR(static_cast<double>(alarms) / walks, 0.05, 0.005) << most;
  }
}

TEST(sequential, an_early_end_gets_what_is_left) {
  SpendingPlan plan(100);
  plan.next_level(7, false);
  EXPECT_GT(plan.next_level(9, true), 0.04);
}

}  // namespace atys::reduce
