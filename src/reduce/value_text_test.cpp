// SPDX-License-Identifier: Apache-2.0
#include "reduce/value_text.h"

#include <gtest/gtest.h>

namespace atys::reduce {

TEST(value_text, picks_the_unit_that_people_would) {
  EXPECT_EQ(value_text(999, "nanoseconds"), "999 ns");
  EXPECT_EQ(value_text(1'234'567, "nanoseconds"), "1.23 ms");
  EXPECT_EQ(value_text(10'000'000'000, "nanoseconds"), "10.0 s");
  EXPECT_EQ(value_text(90, "seconds"), "1.50 min");
  EXPECT_EQ(value_text(3'500'000, "bytes"), "3.34 MiB");
  EXPECT_EQ(value_text(100, "bytes"), "100 B");
  EXPECT_EQ(value_text(1'234'567, "count"), "1,234,567");
  EXPECT_EQ(value_text(-1234, "count"), "-1,234");
  EXPECT_EQ(value_text(-123, "count"), "-123");
  EXPECT_EQ(value_text(5, "cycles"), "5 cycles");
}

TEST(value_text, takes_the_extremes) {
  for (const char* unit : {"nanoseconds", "seconds", "bytes", "count"}) {
    EXPECT_FALSE(value_text(INT64_MIN, unit).empty());
    EXPECT_FALSE(value_text(INT64_MAX, unit).empty());
  }
}

TEST(value_text, shows_shares) {
  EXPECT_EQ(share_text(1, 3), "33.3%");
  EXPECT_EQ(share_text(1, 1), "100%");
  EXPECT_EQ(share_text(1, 64), "1.6%");
  EXPECT_EQ(share_text(0, 0), "0%");
}

}  // namespace atys::reduce
