// SPDX-License-Identifier: Apache-2.0
#include "linux/host.h"

#include <gtest/gtest.h>

namespace atys::linux {
namespace {

TEST(cpu_list, has_ranges_and_holes) {
  EXPECT_EQ(*parse_cpu_list("0-3,5,7-8\n"), (std::vector<int>{0, 1, 2, 3, 5, 7, 8}));
  EXPECT_EQ(*parse_cpu_list("0\n"), (std::vector<int>{0}));
  EXPECT_EQ(*parse_cpu_list("2,0-2"), (std::vector<int>{0, 1, 2}));
  EXPECT_TRUE(parse_cpu_list("\n")->empty());
  for (const char* text : {"3-1", "a", "0-", "-1", "0-99999999", "1,,2"}) EXPECT_FALSE(parse_cpu_list(text).ok()) << text;
}

TEST(host, names_itself) {
  const auto host = read_host();
  ASSERT_TRUE(host.ok());
  EXPECT_FALSE(host->name.empty());
  EXPECT_FALSE(host->kernel_release.empty());
  EXPECT_FALSE(host->architecture.empty());
  EXPECT_FALSE(host->cpus.empty());
}

}  // namespace
}  // namespace atys::linux
