// SPDX-License-Identifier: Apache-2.0
#include "cli/token_files.h"

#include <gtest/gtest.h>

#include "base/token.h"

namespace atys::cli {
namespace {

TEST(token_files, a_line_says_who_may_what) {
  const auto read = parse_token_list(
      "# of the shop\n\n"
      "read   0123456789abcdef\n"
      "join\t0123456789abcdeg services=shop*,cart nodes=web-* max-nodes=3 windows=10 bytes=1MB\n"
      "certificate *.example services=*\r\n",
      "tokens");
  ASSERT_TRUE(read.ok()) << read.error().message;
  ASSERT_EQ(read->size(), 3u);
  EXPECT_EQ((*read)[0].role, Role::Read);
  EXPECT_EQ((*read)[0].hash, token_hash("0123456789abcdef"));
  EXPECT_EQ((*read)[1].role, Role::Join);
  EXPECT_EQ((*read)[1].scope.services, (std::vector<std::string>{"shop*", "cart"}));
  EXPECT_EQ((*read)[1].scope.nodes, std::vector<std::string>{"web-*"});
  EXPECT_EQ((*read)[1].scope.most_nodes, 3u);
  EXPECT_EQ((*read)[1].scope.windows_per_minute, 10u);
  EXPECT_EQ((*read)[1].scope.bytes_per_minute, 1'000'000u);
  EXPECT_TRUE((*read)[2].is_certificate);
}

TEST(token_files, what_makes_no_sense_is_named_by_its_line_and_never_by_its_token) {
  struct Case {
    const char* line;
    const char* says;
  };
  for (const Case& one :
       {Case{"root 0123456789abcdef", "no role 'root'"}, Case{"read", "no token"}, Case{"read short", "less than 16"},
        Case{"capture 0123456789abcdef", "does not say which services"},
        Case{"join 0123456789abcdef max-nodes=2", "does not say which services"},
        Case{"join 0123456789abcdef services=* max-nodes=many", "no number"},
        Case{"join 0123456789abcdef services=* colour=red", "'colour'"}}) {
    const auto read = parse_token_list("\n" + std::string(one.line), "tokens");
    ASSERT_FALSE(read.ok()) << one.line;
    EXPECT_NE(read.error().message.find(one.says), std::string::npos) << read.error().message;
    EXPECT_TRUE(read.error().message.starts_with("tokens:2: ")) << read.error().message;
    EXPECT_EQ(read.error().message.find("0123456789"), std::string::npos) << read.error().message;
  }
}

}  // namespace
}  // namespace atys::cli
