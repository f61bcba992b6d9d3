// SPDX-License-Identifier: Apache-2.0
#include "base/gzip.h"

#include <gtest/gtest.h>

#include "base/byte_source.h"

namespace atys {
namespace {

TEST(gzip, gives_back_all_members) {
  const std::string two = gzip("first ") + gzip("second");
  const auto plain = gunzip(as_byte_span(two));
  ASSERT_TRUE(plain.ok());
  EXPECT_EQ(as_text(*plain), "first second");
}

TEST(gzip, refuses_a_bomb_of_many_members_at_its_first_ones) {
  const std::string member = gzip(std::string(size_t{16} << 20, 'x'));
  std::string bomb;
  for (int i = 0; i < 200; ++i) bomb += member;
  const auto plain = gunzip(as_byte_span(bomb));
  ASSERT_FALSE(plain.ok());
  const std::string& message = plain.error().message;
  const std::string before = "gzip data at offset ";
  ASSERT_TRUE(message.starts_with(before)) << message;
  EXPECT_LT(std::stoul(message.substr(before.size())), 8 * member.size());
}

TEST(gzip, keeps_within_the_callers_limit) {
  const std::string bomb = gzip(std::string(size_t{1} << 20, 'x'));
  EXPECT_TRUE(gunzip(as_byte_span(bomb), size_t{1} << 20).ok());
  const auto refused = gunzip(as_byte_span(bomb), (size_t{1} << 20) - 1);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::ResourceExhausted);
}

TEST(gzip, refuses_a_member_that_is_cut_short) {
  const std::string whole = gzip("some text that is long enough to cut");
  for (size_t size = 2; size < whole.size(); ++size) {
    EXPECT_FALSE(gunzip(as_byte_span(std::string_view(whole).substr(0, size))).ok()) << size;
  }
}

}  // namespace
}  // namespace atys
