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

TEST(value_text, fits_columns) {
  EXPECT_EQ(quantity(1.5e9, "nanoseconds"), "1.50s");
  EXPECT_EQ(quantity(7200, "seconds"), "7200.00s");
  EXPECT_EQ(quantity(2500, "nanoseconds"), "2.50us");
  EXPECT_EQ(quantity(3, "nanoseconds"), "3.00ns");
  EXPECT_EQ(quantity(0, "nanoseconds"), "0ns");
  EXPECT_EQ(quantity(2, "milliseconds"), "2.00ms");
  EXPECT_EQ(quantity(1536, "bytes"), "1.50KiB");
  EXPECT_EQ(quantity(-512, "bytes"), "-512.00B");
  EXPECT_EQ(quantity(-1234567, "count"), "-1,234,567");
  EXPECT_EQ(quantity(-123, "cycles"), "-123");
  EXPECT_EQ(quantity(0, "count"), "0");
  EXPECT_EQ(quantity(-0.0, "count"), "0");
  EXPECT_EQ(quantity(2e18, "count"), "2e+18");
}

TEST(value_text, takes_the_extremes) {
  for (const char* unit : {"nanoseconds", "seconds", "bytes", "count"}) {
    EXPECT_FALSE(value_text(INT64_MIN, unit).empty());
    EXPECT_FALSE(value_text(INT64_MAX, unit).empty());
    EXPECT_FALSE(quantity(-1e300, unit).empty());
  }
}

TEST(value_text, shows_shares) {
  EXPECT_EQ(share_text(1, 3), "33.3%");
  EXPECT_EQ(share_text(1, 1), "100%");
  EXPECT_EQ(share_text(1, 64), "1.6%");
  EXPECT_EQ(share_text(0, 0), "0%");
}

}  // namespace atys::reduce
