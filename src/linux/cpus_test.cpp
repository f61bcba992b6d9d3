// SPDX-License-Identifier: Apache-2.0
#include "linux/cpus.h"

#include <gtest/gtest.h>

namespace atys::linux {
namespace {

TEST(cpus, reads_lists_as_the_kernel_writes_them) {
  EXPECT_EQ(parse_cpu_list("0-2,5,8-9\n"), (std::vector<int>{0, 1, 2, 5, 8, 9}));
  EXPECT_EQ(parse_cpu_list("0"), (std::vector<int>{0}));
  EXPECT_TRUE(parse_cpu_list("").empty());
  EXPECT_TRUE(parse_cpu_list("x").empty());
  EXPECT_LT(parse_cpu_list("0-999999999").size(), 70000u);
}

}  // namespace
}  // namespace atys::linux
