// SPDX-License-Identifier: Apache-2.0
#include "base/quantities.h"

#include <gtest/gtest.h>

namespace atys {
namespace {

TEST(quantities, reads_durations_with_and_without_units) {
  EXPECT_EQ(*parse_duration("10s"), 10'000'000'000u);
  EXPECT_EQ(*parse_duration("500ms"), 500'000'000u);
  EXPECT_EQ(*parse_duration("1.5"), 1'500'000'000u);
  EXPECT_EQ(*parse_duration("2m"), 120'000'000'000u);
  for (const char* bad : {"", "s", "-1s", "10x", "nan", "inf", "1e300s", "0"}) EXPECT_FALSE(parse_duration(bad).ok()) << bad;
}

TEST(quantities, reads_percentages_and_rates) {
  EXPECT_DOUBLE_EQ(*parse_percent("0.5%"), 0.005);
  EXPECT_DOUBLE_EQ(*parse_percent("1"), 0.01);
  EXPECT_DOUBLE_EQ(*parse_frequency("4.9kHz"), 4900);
  EXPECT_FALSE(parse_percent("1 %x").ok());
  EXPECT_FALSE(parse_frequency("-99").ok());
}

TEST(quantities, reads_sizes) {
  EXPECT_EQ(*parse_bytes("64MB"), 64'000'000u);
  EXPECT_EQ(*parse_bytes("1.5GiB"), 1'610'612'736u);
  EXPECT_EQ(*parse_bytes("4096"), 4096u);
  for (const char* bad : {"", "-1", "1XB", "0", "1e30GB"}) EXPECT_FALSE(parse_bytes(bad).ok()) << bad;
}

TEST(quantities, reads_labels) {
  EXPECT_EQ(parse_label("a=b=c")->second, "b=c");
  EXPECT_FALSE(parse_label("=b").ok());
  EXPECT_FALSE(parse_label("a").ok());
}

}  // namespace
}  // namespace atys
