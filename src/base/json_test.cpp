// SPDX-License-Identifier: Apache-2.0
#include "base/json.h"

#include <gtest/gtest.h>

namespace atys {
namespace {

std::string error_of(const std::string& text, size_t max_depth = 128) {
  const auto parsed = parse_json(text, max_depth);
  return parsed.ok() ? "none" : parsed.error().message;
}

TEST(parse_json, names_the_offset_of_what_is_wrong) {
  EXPECT_EQ(error_of(R"({"a": [1, 2]})"), "none");
  EXPECT_EQ(error_of(R"({"a": x})"), "bad JSON at offset 6");
  EXPECT_EQ(error_of(""), "bad JSON at offset 0");
  EXPECT_EQ(error_of("[1, 1e999]"), "bad JSON at offset 8: a number that is too large");
}

TEST(parse_json, bounds_nesting) {
  EXPECT_EQ(error_of("[[1], [2]]", 2), "none");
  EXPECT_EQ(error_of(R"([["[[\"", [)", 2), "bad JSON at offset 10: nested deeper than 2 levels");
  EXPECT_EQ(error_of(std::string(1000000, '[')), "bad JSON at offset 128: nested deeper than 128 levels");
}

TEST(parse_json, does_not_count_brackets_in_strings_or_past_ones) {
  EXPECT_TRUE(parse_json(R"(["[[[[", "\"[[", "\\", [], [], []])", 2).ok());
}

// Quadratic time would be minutes here.
TEST(parse_json, parses_long_arrays_of_objects_in_linear_time) {
  std::string text = "[";
  for (int i = 0; i < 300000; ++i) text += "{},";
  text.back() = ']';
  const auto json = parse_json(text);
  ASSERT_TRUE(json.ok());
  EXPECT_EQ(json->size(), 300000u);
}

}  // namespace
}  // namespace atys
