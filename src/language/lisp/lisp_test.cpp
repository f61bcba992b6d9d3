// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>

#include "language/languages.h"

namespace atys::language {

TEST(lisp, is_known_by_its_files_and_its_command_lines) {
  const Language* lisp = language_of_file("/srv/shop/checkout.lisp");
  ASSERT_NE(lisp, nullptr);
  EXPECT_EQ(lisp->name, "lisp");
  const auto* sbcl = find_interpreter("sbcl");
  ASSERT_NE(sbcl, nullptr);
  EXPECT_EQ(sbcl->language, lisp);
  EXPECT_EQ(std::ranges::count(sbcl->facts->file_follows, "--script"), 1);
}

TEST(lisp, local_functions_say_what_they_are_in) {
  const auto is_one = language_of_file("x.lisp")->is_anonymous_within;
  EXPECT_TRUE(is_one("(LAMBDA (ORDER) :IN SHOP::CHECKOUT)"));
  EXPECT_TRUE(is_one("(FLET PRICE :IN SHOP::CHECKOUT)"));
  EXPECT_FALSE(is_one("SHOP::CHECKOUT"));
  EXPECT_FALSE(is_one("(LAMBDA (ORDER))"));
}

}  // namespace atys::language
