// SPDX-License-Identifier: Apache-2.0
#include "present/web/parameters.h"

#include <gtest/gtest.h>

#include "present/http_guard.h"
#include "present/metrics/controller_metrics.h"
#include "present/web/http_status.h"

namespace atys::present::web {

namespace {

constexpr int64_t kNow = 1'790'000'000'000'000'000;

}  // namespace

TEST(parameters, say_which_profiles_are_wanted) {
  const Parameters wanted = {
      {"service", "shop"}, {"from", "-30m"}, {"node", "web-1"}, {"label.k8s.pod.name", "p"}, {"n", "5"}};
  const auto query = query_of(wanted, kNow);
  ASSERT_TRUE(query.ok());
  EXPECT_EQ(query->from_ns, kNow - 1800'000'000'000);
  EXPECT_EQ(query->to_ns, kNow);
  EXPECT_EQ(query->node, "web-1");
  EXPECT_EQ(query->labels.at("k8s.pod.name"), "p");
  EXPECT_FALSE(query->version.has_value());
  EXPECT_EQ(view_of(wanted)->top, 5u);
  EXPECT_EQ(*step_of(wanted, *query), 18'000'000'000);
}

TEST(parameters, what_makes_no_sense_is_refused) {
  EXPECT_FALSE(query_of({}, kNow).ok());
  EXPECT_FALSE(query_of({{"service", "shop"}, {"from", "yesterday"}}, kNow).ok());
  EXPECT_FALSE(view_of({{"n", "0"}}).ok());
  EXPECT_FALSE(view_of({{"n", "many"}}).ok());
  EXPECT_FALSE(view_of({{"by", "colour"}}).ok());
  EXPECT_FALSE(step_of({{"step", "-1"}}, {}).ok());
}

TEST(http_status, errors_are_what_the_standard_wants) {
  EXPECT_EQ(status_of(fail(ErrorCode::Unavailable, "")), 503);
  EXPECT_EQ(status_of(fail(ErrorCode::ResourceExhausted, "")), 413);
  EXPECT_EQ(otlp_status(fail(ErrorCode::InvalidInput, "why", "mend it"), true), R"({"code":3,"message":"why; mend it"})");
  EXPECT_EQ(otlp_status(fail(ErrorCode::Unavailable, "why"), false), std::string("\x08\x0e\x12\x03why"));
}

TEST(http_guard, addresses_may_be_called_where_others_can_connect_and_pages_only_by_the_same) {
  HttpGuard guard;
  EXPECT_TRUE(guard.check("10.0.0.5:4318", nullptr, nullptr).has_value());
  guard.any_address = true;
  EXPECT_FALSE(guard.check("10.0.0.5:4318", nullptr, nullptr).has_value());
  EXPECT_FALSE(guard.check("[fe80::1]:4318", nullptr, nullptr).has_value());
  EXPECT_TRUE(guard.check("evil.example", nullptr, nullptr).has_value());
  const std::string same = "http://10.0.0.5:4318", other = "http://10.0.0.6:4318", null = "null";
  EXPECT_FALSE(guard.check("10.0.0.5:4318", &same, nullptr).has_value());
  EXPECT_TRUE(guard.check("10.0.0.5:4318", &other, nullptr).has_value());
  EXPECT_TRUE(guard.check("10.0.0.5:4318", &null, nullptr).has_value());
}

TEST(http_guard, a_token_for_one_role_does_not_serve_for_another) {
  HttpGuard guard{.access = Access("operator")};
  guard.access.let_in("agent", Role::Capture);
  guard.access.let_in("person", Role::Read);
  const auto status = [&](const std::string& token, Role needs) {
    const std::string authorization = "Bearer " + token;
    const auto refusal = guard.check("localhost", nullptr, &authorization, needs);
    return refusal ? refusal->status : 200;
  };
  EXPECT_EQ(status("operator", Role::Admin), 200);
  EXPECT_EQ(status("agent", Role::Capture), 200);
  EXPECT_EQ(status("agent", Role::Read), 403);
  EXPECT_EQ(status("person", Role::Read), 200);
  EXPECT_EQ(status("person", Role::Admin), 403);
  EXPECT_EQ(status("nobody", Role::Read), 401);
}

TEST(discovery, lists_the_agents_that_have_metrics) {
  const verbs::NodesAnswer nodes{.nodes = {{.node = "a\"b", .metrics_address = "10.0.0.1:9465"}, {.node = "silent"}}};
  EXPECT_EQ(metrics::discovery(nodes), R"([{"targets":["10.0.0.1:9465"],"labels":{"node":"a\"b"}}])");
}

}  // namespace atys::present::web
