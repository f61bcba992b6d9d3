// SPDX-License-Identifier: Apache-2.0
#include "verbs/view/distinct_names.h"

#include <gtest/gtest.h>

namespace atys::verbs {

namespace {

// What is shown of functions that are all called `shown`.
std::vector<std::string> apart(const std::string& shown, const std::vector<std::string>& wholes, size_t most = 80) {
  std::vector<std::string> texts(wholes.size(), shown);
  std::vector<ShortName> names;
  for (size_t i = 0; i < wholes.size(); ++i) names.push_back({&texts[i], wholes[i]});
  keep_apart(names, most);
  return texts;
}

using Texts = std::vector<std::string>;

}  // namespace

TEST(distinct_names, say_in_what_the_whole_names_differ) {
  EXPECT_EQ(apart("app::call", {"app::call<run(int)::{lambda}:22>(int)", "app::call<run(int)::{lambda}:23>(int)"}),
            (Texts{"app::call […::{lambda}:22…]", "app::call […::{lambda}:23…]"}));
  EXPECT_EQ(apart("price", {"shop::price(int, int)", "shop::price(int, double)", "shop::price(int, char)"}),
            (Texts{"price […int…]", "price […double…]", "price […char…]"}));
}

TEST(distinct_names, of_one_function_stay_as_they_are) {
  EXPECT_EQ(apart("f", {"ns::f(int)", "ns::f(int)"}), (Texts{"f", "f"}));
  EXPECT_EQ(apart("f", {"ns::f(int)"}), (Texts{"f"}));
}

TEST(distinct_names, are_no_longer_than_asked_for) {
  const std::string longest(5000, 'x');
  for (const std::string& text : apart(longest, {"f<" + longest + "1>", "f<" + longest + "2>"}, 40)) {
    EXPECT_LE(text.size(), 40u);
    EXPECT_NE(text.find("…]"), std::string::npos);
  }
  EXPECT_NE(apart(longest, {"f<" + longest + "1>", "f<" + longest + "2>"}, 40)[0],
            apart(longest, {"f<" + longest + "1>", "f<" + longest + "2>"}, 40)[1]);
}

}  // namespace atys::verbs
