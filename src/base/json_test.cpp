// SPDX-License-Identifier: Apache-2.0
#include "base/json.h"

#include <gtest/gtest.h>

namespace atys {

TEST(json, says_where_text_is_malformed) { EXPECT_EQ(parse_json("[1,}").error().message, "bad JSON at offset 3"); }

TEST(json, refuses_nesting_past_the_limit_and_says_where) {
  EXPECT_TRUE(parse_json("[[[]]]", 3).ok());
  EXPECT_EQ(parse_json(R"({"a":[{}]})", 2).error().message, "bad JSON at offset 6: nested deeper than 2 levels");
  EXPECT_FALSE(parse_json(std::string(1 << 20, '['), 128).ok());
}

TEST(json, does_not_count_brackets_in_strings_or_past_ones) {
  EXPECT_TRUE(parse_json(R"(["[[[[", "\"[[", "\\", [], [], []])", 2).ok());
}

// Quadratic time would be minutes here.
TEST(json, parses_long_arrays_of_objects_in_linear_time) {
  std::string text = "[";
  for (int i = 0; i < 300000; ++i) text += "{},";
  text.back() = ']';
  const auto json = parse_json(text);
  ASSERT_TRUE(json.ok());
  EXPECT_EQ(json->size(), 300000u);
}

}  // namespace atys
