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

}  // namespace atys
