// SPDX-License-Identifier: Apache-2.0
#include "base/access.h"

#include <gtest/gtest.h>

namespace atys {
namespace {

TEST(access, everybody_may_everything_where_no_token_is_asked_for) {
  const Access open;
  EXPECT_FALSE(open.asks_for_token());
  EXPECT_EQ(open.role_of(""), Role::Admin);
  EXPECT_FALSE(Access("").asks_for_token());
}

TEST(access, a_token_has_one_role) {
  Access access("for the operator");
  access.let_in("for agents", Role::Capture);
  access.let_in("for people", Role::Read);
  EXPECT_EQ(access.role_of("Bearer for the operator"), Role::Admin);
  EXPECT_EQ(access.role_of("Bearer for agents"), Role::Capture);
  EXPECT_EQ(access.role_of("Bearer for people"), Role::Read);
  for (const char* wrong : {"", "Bearer", "Bearer ", "for agents", "Bearer for agent", "Bearer for agents "})
    EXPECT_FALSE(access.role_of(wrong)) << wrong;
}

TEST(access, only_an_admin_may_what_others_may) {
  for (const Role needs : {Role::Read, Role::Capture, Role::Admin}) {
    EXPECT_TRUE(Access::may(Role::Admin, needs));
    EXPECT_EQ(Access::may(Role::Read, needs), needs == Role::Read);
    EXPECT_EQ(Access::may(Role::Capture, needs), needs == Role::Capture);
  }
}

}  // namespace
}  // namespace atys
