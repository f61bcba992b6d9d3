// SPDX-License-Identifier: Apache-2.0
#include "fleet/controller/sender_rights.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/token.h"
#include "fleet/controller/node_registry.h"
#include "fleet/controller/node_tokens.h"
#include "fleet/controller/quotas.h"
#include "support/scratch_folder.h"

namespace atys::fleet {
namespace {

constexpr uint64_t kMinuteNs = 60'000'000'000;

Received windows_of(std::initializer_list<std::pair<const char*, const char*>> services_and_nodes) {
  Received received;
  for (const auto& [service, node] : services_and_nodes) {
    store::Window& window = received.windows.emplace_back();
    window.service = service;
    window.node = node;
    received.profiles.push_back(1);
  }
  return received;
}

std::string kept(Received received, const Identity& from, const Access& access) {
  keep_what_may_be_sent(received, from, access);
  std::string text;
  for (const store::Window& window : received.windows) text += window.service + "@" + window.node + " ";
  return text;
}

TEST(sender_rights, services_of_its_scope_and_no_other) {
  const Identity capture{.role = Role::Capture, .scope = {.services = {"shop*"}}};
  EXPECT_EQ(kept(windows_of({{"shop-api", "a"}, {"bank", "a"}, {"shop", "b"}}), capture, {}), "shop-api@a shop@b ");
  Received two = windows_of({{"bank", "a"}, {"mint", "a"}});
  const NotTheirs refused = keep_what_may_be_sent(two, capture, {});
  EXPECT_EQ(refused.profiles, 2u);
  EXPECT_NE(refused.why.find("may not send the service bank"), std::string::npos) << refused.why;
  EXPECT_EQ(kept(windows_of({{"bank", "a"}}), {.role = Role::Admin, .scope = {.services = {}}}, {}), "bank@a ");
}

TEST(sender_rights, a_node_sends_as_itself) {
  const Identity node{.role = Role::Capture, .node = "web-1"};
  EXPECT_EQ(kept(windows_of({{"s", "web-1"}, {"s", "web-2"}, {"s", ""}}), node, {}), "s@web-1 s@web-1 ");
  EXPECT_TRUE(may_report({.node = "web-1"}, node, {}).ok());
  EXPECT_EQ(may_report({.node = "web-2"}, node, {}).error().code, ErrorCode::PermissionDenied);
}

TEST(sender_rights, nobody_who_shares_a_token_is_a_node_that_has_joined) {
  Access access("for the operator");
  access.let_node_in(token_hash("of web-1"), "web-1", {});
  const Identity shared{.role = Role::Capture};
  EXPECT_EQ(kept(windows_of({{"s", "web-1"}, {"s", "web-2"}}), shared, access), "s@web-2 ");
  EXPECT_FALSE(may_report({.node = "web-1"}, shared, access).ok());
  EXPECT_TRUE(may_report({.node = "web-2"}, shared, access).ok());
}

TEST(sender_rights, a_label_makes_nobody_a_controller) {
  const AgentReport report{.node = "n", .labels = {{std::string(kRoleLabel), std::string(kControllerRole)}}};
  EXPECT_FALSE(may_report(report, {.role = Role::Capture}, {}).ok());
  EXPECT_TRUE(may_report(report, {.role = Role::Controller}, {}).ok());
  EXPECT_TRUE(may_report(report, {.role = Role::Admin}, {}).ok());
}

TEST(quotas, are_of_each_sender_and_of_each_minute) {
  Quotas quotas;
  const Identity a{.role = Role::Capture, .key = "a", .scope = {.windows_per_minute = 3, .bytes_per_minute = 100}};
  Identity b = a;
  b.key = "b";
  EXPECT_TRUE(quotas.take_bytes(a, 500, 0).ok()) << "the first is taken whatever its size";
  EXPECT_EQ(quotas.take_bytes(a, 1, 1).error().code, ErrorCode::Unavailable);
  EXPECT_TRUE(quotas.take_bytes(b, 60, 1).ok());
  EXPECT_TRUE(quotas.take_bytes(b, 40, 1).ok());
  EXPECT_FALSE(quotas.take_bytes(b, 1, 1).ok());
  EXPECT_TRUE(quotas.take_bytes(a, 1, kMinuteNs).ok());
  EXPECT_TRUE(quotas.take_windows(a, 3, 0).ok());
  EXPECT_FALSE(quotas.take_windows(a, 1, 0).ok());
  EXPECT_GT(quota_of({.role = Role::Capture}).windows_per_minute,
            quota_of({.role = Role::Capture, .node = "n"}).windows_per_minute);
  EXPECT_EQ(quota_of({}).windows_per_minute, 0u) << "an admin has none";
}

class NodeTokensTest : public ::testing::Test {
 protected:
  std::unique_ptr<NodeTokens> open() { return NodeTokens::open(folder_.path() + "/tokens", access_).take(); }
  const test::ScratchFolder folder_;
  Access access_{"for the operator"};
  const Identity join_{
      .role = Role::Join, .key = "join 1", .scope = {.services = {"shop"}, .nodes = {"web-*"}, .most_nodes = 2}};
};

TEST_F(NodeTokensTest, who_has_joined_is_known_after_a_restart_and_the_token_is_not_kept) {
  const std::string token = *open()->join(join_, "web-1", 1);
  std::ifstream file(folder_.path() + "/tokens");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  EXPECT_EQ(text.find(token), std::string::npos);
  EXPECT_EQ(std::filesystem::status(folder_.path() + "/tokens").permissions(), std::filesystem::perms(0600));
  Access restarted("for the operator");
  const auto again = NodeTokens::open(folder_.path() + "/tokens", restarted).take();
  const auto node = restarted.identify("Bearer " + token);
  ASSERT_TRUE(node);
  EXPECT_EQ(node->node, "web-1");
  EXPECT_EQ(node->scope.services, std::vector<std::string>{"shop"});
}

TEST_F(NodeTokensTest, a_name_is_taken_until_it_is_forgotten) {
  const auto tokens = open();
  const std::string token = *tokens->join(join_, "web-1", 1);
  const auto second = tokens->join(join_, "web-1", 2);
  ASSERT_FALSE(second.ok());
  EXPECT_NE(second.error().hint.find("atys nodes --forget web-1"), std::string::npos);
  ASSERT_TRUE(tokens->forget("web-1").ok());
  EXPECT_FALSE(access_.identify("Bearer " + token));
  EXPECT_TRUE(tokens->join(join_, "web-1", 3).ok());
  EXPECT_EQ(tokens->forget("web-9").error().code, ErrorCode::NotFound);
}

TEST_F(NodeTokensTest, a_token_lets_so_many_join_and_of_such_names) {
  const auto tokens = open();
  EXPECT_FALSE(tokens->join(join_, "db-1", 1).ok());
  EXPECT_TRUE(tokens->join(join_, "web-1", 1).ok());
  EXPECT_TRUE(tokens->join(join_, "web-2", 1).ok());
  EXPECT_FALSE(tokens->join(join_, "web-3", 1).ok());
  Identity other = join_;
  other.key = "join 2";
  EXPECT_TRUE(tokens->join(other, "web-3", 1).ok());
}

TEST_F(NodeTokensTest, a_damaged_file_is_said_to_be) {
  ASSERT_TRUE(open()->join(join_, "web-1", 1).ok());
  std::ofstream(folder_.path() + "/tokens") << "[{\"node\": 7}]";
  const auto damaged = NodeTokens::open(folder_.path() + "/tokens", access_);
  ASSERT_FALSE(damaged.ok());
  EXPECT_NE(damaged.error().message.find("is damaged"), std::string::npos);
}

}  // namespace
}  // namespace atys::fleet
