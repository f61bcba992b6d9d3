// SPDX-License-Identifier: Apache-2.0
#include "present/web/path_pattern.h"

#include <gtest/gtest.h>

namespace atys::present::web {

TEST(match_path, without_a_star_is_the_same_path) {
  EXPECT_EQ(match_path("/things", "/things"), "");
  EXPECT_EQ(match_path("/things", "/thing"), std::nullopt);
  EXPECT_EQ(match_path("/things", "/things/"), std::nullopt);
}

TEST(match_path, hands_over_the_word_that_an_address_names) {
  EXPECT_EQ(match_path("/things/*", "/things/one"), "one");
  EXPECT_EQ(match_path("/things/*/stop", "/things/one/stop"), "one");
  EXPECT_EQ(match_path("/things/*/stop", "/things/one/start"), std::nullopt);
}

TEST(match_path, a_star_is_one_word_and_not_none) {
  EXPECT_EQ(match_path("/things/*", "/things/"), std::nullopt);
  EXPECT_EQ(match_path("/things/*", "/things/one/two"), std::nullopt);
  EXPECT_EQ(match_path("/things/*/stop", "/things//stop"), std::nullopt);
  EXPECT_EQ(match_path("/things/*/stop", "/things/stop"), std::nullopt);
}

}  // namespace atys::present::web
