// SPDX-License-Identifier: Apache-2.0
#include "base/utc_time.h"

#include <gtest/gtest.h>

namespace atys {

TEST(parse_time, takes_dates_and_unix_seconds) {
  EXPECT_EQ(*parse_time("1970-01-01T00:01:00Z"), 60'000'000'000);
  EXPECT_EQ(*parse_time("1970-01-01T00:00:00.25Z"), 250'000'000);
  EXPECT_EQ(*parse_time("60.5"), 60'500'000'000);
  for (const char* bad : {"", "yesterday", "1970-01-01", "60.", "60.x", "1970-01-01T00:00:00"})
    EXPECT_FALSE(parse_time(bad).ok()) << bad;
}

TEST(time_text, is_what_parse_time_reads) {
  EXPECT_EQ(time_text(1'700'000'000'000'000'000), "2023-11-14T22:13:20Z");
  EXPECT_EQ(*parse_time(time_text(1'700'000'000'000'000'000)), 1'700'000'000'000'000'000);
}

}  // namespace atys
