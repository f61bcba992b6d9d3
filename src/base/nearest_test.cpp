// SPDX-License-Identifier: Apache-2.0
#include "base/nearest.h"

#include <gtest/gtest.h>

namespace atys {

TEST(nearest, finds_what_was_meant) {
  const std::vector<std::string> names = {"checkout", "cart", "payments", "checkout-worker"};
  EXPECT_EQ(did_you_mean("chekout", names, "no"), "did you mean checkout?");
  EXPECT_EQ(did_you_mean("check", names, "no"), "did you mean checkout or checkout-worker?");
  EXPECT_EQ(did_you_mean("CART", names, "no"), "did you mean cart?");
  EXPECT_EQ(did_you_mean("zzzzzz", names, "no"), "no");
  EXPECT_EQ(did_you_mean("", {}, "no"), "no");
}

TEST(nearest, counts_two_letters_in_the_wrong_order_as_one_slip) {
  const std::vector<std::string> verbs = {"capture", "compare", "top", "up", "list", "diff"};
  EXPECT_EQ(did_you_mean("captrue", verbs, "no"), "did you mean capture?");
  EXPECT_EQ(did_you_mean("tpo", verbs, "no"), "did you mean top?");
  EXPECT_EQ(did_you_mean("pu", verbs, "no"), "did you mean up?");
}

TEST(nearest, offers_nothing_that_has_little_in_common) {
  const std::vector<std::string> verbs = {"capture", "compare", "top", "up", "list", "diff"};
  EXPECT_EQ(did_you_mean("xy", verbs, "no"), "no");
  EXPECT_EQ(did_you_mean("abc", verbs, "no"), "no");
  EXPECT_EQ(did_you_mean("tcsh", {"bash", "zsh", "fish"}, "no"), "no");
  // One letter off is meant; two letters off beside it are not.
  EXPECT_EQ(did_you_mean("lisst", {"list", "twist"}, "no"), "did you mean list?");
}

TEST(nearest, names_are_the_likeliest) {
  using Strings = std::vector<std::string>;
  EXPECT_EQ(nearest_names("ngnix", {"nginx", "bash", "mgnix"}), (Strings{"mgnix", "nginx"}));
  EXPECT_EQ(nearest_names("nginxx", {"nginx", "bash"}), (Strings{"nginx"}));
  EXPECT_EQ(nearest_names("postgre", {"postgres", "postgresql.service", "sh"}), (Strings{"postgres", "postgresql.service"}));
  EXPECT_EQ(nearest_names("x", {"bash", "sh"}), Strings{});
  EXPECT_EQ(nearest_names("", {"bash"}), Strings{});
}

}  // namespace atys
