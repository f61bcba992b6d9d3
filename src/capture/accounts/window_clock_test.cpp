// SPDX-License-Identifier: Apache-2.0
#include "capture/accounts/window_clock.h"

#include <gtest/gtest.h>

namespace atys::capture {

TEST(window_clock, a_window_begins_where_the_one_before_ended_not_when_that_was_handed_over) {
  WindowClock clock;
  clock.begin(1000, 500'000);
  EXPECT_EQ(clock.window_began_unix_ns(), 500'000);
  EXPECT_EQ(clock.window_ns(300), 300u);
  clock.begin_window(clock.at(300), 1350, 500'350);
  EXPECT_EQ(clock.window_began_ns(), 1300u);
  EXPECT_EQ(clock.window_began_unix_ns(), 500'300);
  EXPECT_EQ(clock.window_ns(500), 200u);
  EXPECT_EQ(clock.since_opened_ns(1360), 10u);
  EXPECT_EQ(clock.since_begin_ns(1360), 360u);
}

}  // namespace atys::capture
