// SPDX-License-Identifier: Apache-2.0
#include "base/strings.h"

#include <gtest/gtest.h>

#include <vector>

namespace atys {

TEST(joined, puts_the_separator_between_all_parts_and_nowhere_else) {
  EXPECT_EQ(joined(std::vector<std::string>{}), "");
  EXPECT_EQ(joined(std::vector<std::string>{"one"}), "one");
  EXPECT_EQ(joined(std::vector<std::string_view>{"one", "two"}), "one, two");
  EXPECT_EQ(joined(std::vector<std::string>{"", "two", ""}, "/"), "/two/");
}

TEST(joined, writes_parts_as_it_is_told) {
  EXPECT_EQ(joined(std::vector<int>{1, 20}, " ", [](int number) { return std::to_string(number); }), "1 20");
}

TEST(add_to_list, begins_a_list_without_a_separator) {
  std::string list;
  add_to_list(list, "one");
  add_to_list(list, "two");
  add_to_list(list, "three", " and ");
  EXPECT_EQ(list, "one, two and three");
}

}  // namespace atys
