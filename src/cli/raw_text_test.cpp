// SPDX-License-Identifier: Apache-2.0
#include "cli/raw_text.h"

#include <gtest/gtest.h>

namespace atys::cli {
namespace {

TEST(raw_text, the_indent_of_the_closing_line_goes_and_the_rest_stays) {
  constexpr std::string_view kText = R"(
      # first

        second "quoted" \n
    )"_text;
  EXPECT_EQ(kText, "  # first\n\n    second \"quoted\" \\n");
}

TEST(raw_text, one_line_has_no_line_break) {
  EXPECT_EQ(R"(
    atys list
    )"_text,
            "atys list");
}

}  // namespace
}  // namespace atys::cli
