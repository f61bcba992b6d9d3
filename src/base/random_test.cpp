// SPDX-License-Identifier: Apache-2.0
#include "base/random.h"

#include <gtest/gtest.h>

#include <array>

namespace atys {

TEST(random, draws_other_bytes_each_time) {
  const Result<std::string> one = random_bytes(16), other = random_bytes(16);
  ASSERT_TRUE(one.ok() && other.ok());
  EXPECT_EQ(one->size(), 16u);
  EXPECT_NE(*one, *other);
}

TEST(random, fills_without_waiting) {
  std::array<std::byte, 16> bytes{};
  ASSERT_TRUE(fill_random(bytes));
  EXPECT_NE(bytes, (std::array<std::byte, 16>{}));
}

}  // namespace atys
