// SPDX-License-Identifier: Apache-2.0
#include "base/hex.h"

#include <gtest/gtest.h>

namespace atys {

TEST(hex, reads_what_it_writes_and_digits_of_either_case) {
  EXPECT_EQ(to_hex(std::string_view("\x00\x7f\xff", 3)), "007fff");
  EXPECT_EQ(from_hex("007FfF"), std::string("\x00\x7f\xff", 3));
  EXPECT_EQ(from_hex(""), "");
}

TEST(hex, is_nothing_else) {
  for (const char* bad : {"0", "0g", "0x00", " 0", "-1"}) EXPECT_EQ(from_hex(bad), std::nullopt) << bad;
}

TEST(hex, knows_its_digits) {
  EXPECT_TRUE(is_hex("09afAF"));
  EXPECT_FALSE(is_hex("0g"));
  EXPECT_TRUE(is_lower_hex("09af"));
  EXPECT_FALSE(is_lower_hex("09AF"));
  EXPECT_EQ(hex_value('F'), 15);
  EXPECT_EQ(hex_value('/'), -1);
}

}  // namespace atys
