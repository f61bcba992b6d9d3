// SPDX-License-Identifier: Apache-2.0
#include "present/report/chart.h"

#include <gtest/gtest.h>

namespace atys::present::report {

TEST(chart, shows_lines_marks_and_round_ticks) {
  const std::string svg = draw({.title = "t",
                                .x_title = "x",
                                .y_title = "y",
                                .lines = {{"a", {{0, 1}, {10, 97}}, true}},
                                .level = 50,
                                .level_name = "l"});
  EXPECT_NE(svg.find("class=\"mark l0\""), std::string::npos);
  EXPECT_NE(svg.find(">20</text>"), std::string::npos);
  EXPECT_NE(svg.find(">100</text>"), std::string::npos);
  EXPECT_NE(svg.find("class=\"level\""), std::string::npos);
}

TEST(chart, of_nothing_and_of_hostile_names_is_still_a_picture) {
  EXPECT_EQ(draw({}).find("nan"), std::string::npos);
  EXPECT_EQ(draw({.title = "<script>", .lines = {{"\"><x", {{1, 1}}, false}}}).find("<script>"), std::string::npos);
}

}  // namespace atys::present::report
