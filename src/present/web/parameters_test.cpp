// SPDX-License-Identifier: Apache-2.0
#include "present/web/parameters.h"

#include <gtest/gtest.h>

#include "present/http_guard.h"
#include "present/metrics/controller_metrics.h"
#include "present/web/http_status.h"
#include "present/web/page.h"
#include "support/view_samples.h"

namespace atys::present::web {

namespace {

constexpr int64_t kNow = 1'790'000'000'000'000'000;

}  // namespace

TEST(parameters, say_which_profiles_are_wanted) {
  const Parameters wanted = {{"service", "shop"},           {"from", "-30m"}, {"node", "web-1"}, {"label.k8s.pod.name", "p"},
                             {"match", "version!~\"1.*\""}, {"n", "5"}};
  const auto query = query_of(wanted, kNow);
  ASSERT_TRUE(query.ok());
  EXPECT_EQ(query->from_ns, kNow - 1800'000'000'000);
  EXPECT_EQ(query->to_ns, kNow);
  EXPECT_EQ(query->matchers, (std::vector<store::Matcher>{store::equals("k8s.pod.name", "p"),
                                                          {"version", store::Matcher::How::NotLike, "1.*"},
                                                          store::equals("node", "web-1")}));
  EXPECT_EQ(view_of(wanted)->top, 5u);
  EXPECT_EQ(*step_of(wanted, *query), 18'000'000'000);
}

TEST(parameters, what_makes_no_sense_is_refused) {
  EXPECT_FALSE(query_of({}, kNow).ok());
  EXPECT_FALSE(query_of({{"service", "shop"}, {"from", "yesterday"}}, kNow).ok());
  EXPECT_FALSE(query_of({{"service", "shop"}, {"match", "version"}}, kNow).ok());
  EXPECT_FALSE(view_of({{"n", "0"}}).ok());
  EXPECT_FALSE(view_of({{"n", "many"}}).ok());
  EXPECT_FALSE(view_of({{"by", "colour"}}).ok());
  EXPECT_FALSE(step_of({{"step", "-1"}}, {}).ok());
}

TEST(parameters, set_every_field_of_a_view_that_is_not_hidden) {
  for (const verbs::ViewField& field : verbs::view_fields()) {
    const std::string value = test::sample_of(field);
    const auto view = view_of({{std::string(field.name), value}});
    ASSERT_TRUE(view.ok()) << field.name << ": " << view.error().message;
    const std::vector<std::string> wanted =
        is_offered(field, verbs::Skin::Http) ? std::vector{value} : std::vector<std::string>();
    EXPECT_EQ(field.told(*view), wanted) << field.name;
    EXPECT_EQ(view_fields_as_json().find("\"" + std::string(field.name) + "\"") != std::string::npos,
              is_offered(field, verbs::Skin::Http))
        << field.name;
  }
}

TEST(parameters, of_a_view_may_repeat_be_empty_and_have_their_old_names) {
  const auto view = view_of({{"label", "a=1"}, {"label", "b=2"}, {"own", "x"}, {"focus", ""}, {"by", ""}, {"n", "7"}});
  ASSERT_TRUE(view.ok());
  ASSERT_EQ(view->filter.labels.size(), 2u);
  EXPECT_EQ(view->filter.labels[1].key, "b");
  EXPECT_EQ(view->own_code.own, std::vector<std::string>{"x"});
  EXPECT_EQ(view->by, "function");
  EXPECT_EQ(view->top, 7u);
  EXPECT_TRUE(view->full_names);
  EXPECT_FALSE(view_of({{"full_names", "false"}})->full_names);
}

TEST(page, has_the_fields_of_a_view) {
  EXPECT_NE(page().find("const VIEW_FIELDS = " + view_fields_as_json() + ";"), std::string_view::npos);
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
