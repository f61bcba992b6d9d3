// SPDX-License-Identifier: Apache-2.0
#include "base/access.h"

#include <gtest/gtest.h>

#include "base/token.h"

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
  for (const Role needs : {Role::Read, Role::Capture, Role::Admin, Role::Join, Role::Controller}) {
    EXPECT_TRUE(Access::may(Role::Admin, needs));
    EXPECT_EQ(Access::may(Role::Read, needs), needs == Role::Read);
    EXPECT_EQ(Access::may(Role::Capture, needs), needs == Role::Capture);
    EXPECT_EQ(Access::may(Role::Join, needs), needs == Role::Join);
    EXPECT_EQ(Access::may(Role::Controller, needs), needs == Role::Controller || needs == Role::Capture);
  }
}

TEST(access, a_node_is_known_by_its_own_token_until_it_is_forgotten) {
  Access access("for the operator");
  const Access at_another_door = access;
  access.let_node_in(token_hash("of web-1"), "web-1", {.services = {"shop*"}});
  const auto node = at_another_door.identify("Bearer of web-1");
  ASSERT_TRUE(node);
  EXPECT_EQ(node->role, Role::Capture);
  EXPECT_EQ(node->node, "web-1");
  EXPECT_TRUE(node->scope.has_service("shop-api"));
  EXPECT_FALSE(node->scope.has_service("bank"));
  EXPECT_TRUE(at_another_door.is_node("web-1"));
  EXPECT_FALSE(at_another_door.identify("Bearer " + token_hash("of web-1"))) << "what is kept is no token";
  access.forget_node("web-1");
  EXPECT_FALSE(at_another_door.identify("Bearer of web-1"));
  EXPECT_FALSE(at_another_door.is_node("web-1"));
}

TEST(access, tokens_are_replaced_for_every_door_and_taking_all_back_opens_none) {
  Access access("old");
  const Access at_another_door = access;
  access.let_node_in(token_hash("of web-1"), "web-1", {});
  access.replace({{.hash = token_hash("new"), .role = Role::Admin}});
  EXPECT_FALSE(at_another_door.identify("Bearer old"));
  EXPECT_TRUE(at_another_door.identify("Bearer new"));
  EXPECT_TRUE(at_another_door.identify("Bearer of web-1"));
  access.replace({});
  EXPECT_FALSE(at_another_door.identify("Bearer new"));
  EXPECT_FALSE(at_another_door.identify(""));
}

TEST(access, a_certificate_that_is_let_in_names_its_node) {
  Access access("for the operator");
  EXPECT_FALSE(access.identify("", "web-1.example"));
  access.replace({{.hash = "web-*", .role = Role::Capture, .scope = {}, .is_certificate = true}});
  EXPECT_EQ(access.identify("", "web-1.example")->node, "web-1.example");
  EXPECT_FALSE(access.identify("", "db-1.example"));
  EXPECT_FALSE(access.identify("Bearer web-*")) << "a pattern is no token";
}

}  // namespace
}  // namespace atys
