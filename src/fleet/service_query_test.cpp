// SPDX-License-Identifier: Apache-2.0
#include "fleet/service_query.h"

#include <gtest/gtest.h>

namespace atys::fleet {

namespace {

constexpr int64_t kNow = 1'790'000'000'000'000'000;
constexpr int64_t kMinuteNs = 60'000'000'000;

}  // namespace

TEST(service_query, is_read_as_people_write_it) {
  EXPECT_EQ(*parse_service_query("service:shop", kNow),
            (ServiceQuery{.service = "shop", .from_ns = kNow - 60 * kMinuteNs, .to_ns = kNow}));
  EXPECT_EQ(*parse_service_query("service:shop@-30m..", kNow),
            (ServiceQuery{.service = "shop", .from_ns = kNow - 30 * kMinuteNs, .to_ns = kNow}));
  EXPECT_EQ(*parse_service_query("service:shop@-30m", kNow), *parse_service_query("service:shop@-30m..now", kNow));
  EXPECT_EQ(parse_service_query("service:shop@..-30m", kNow)->to_ns, kNow - 30 * kMinuteNs);
  EXPECT_EQ(parse_service_query("service:shop@1000..2000.5", kNow)->to_ns, 2'000'500'000'000);
  EXPECT_EQ(parse_service_query("service:shop@1970-01-01T00:00:10Z..20", kNow)->from_ns, 10'000'000'000);
  const auto filtered = *parse_service_query("service:shop{version=1.2,node=a,instance=b,kind=wall,k8s.pod.name=c}", kNow);
  EXPECT_EQ(filtered.kind, "wall");
  EXPECT_EQ(filtered.matchers, (std::vector{store::equals("version", "1.2"), store::equals("node", "a"),
                                            store::equals("instance", "b"), store::equals("k8s.pod.name", "c")}));
}

TEST(service_query, conditions_compare_in_four_ways) {
  using How = store::Matcher::How;
  const auto query =
      *parse_service_query(R"(service:shop{node!=a,version=~"1\..*",pod!~"x@y,\"z\"}",zone="",path="c:\\"}@-30m..)", kNow);
  const std::vector<store::Matcher> expected{{"node", How::NotEqual, "a"},
                                             {"version", How::Like, R"(1\..*)"},
                                             {"pod", How::NotLike, R"(x@y,"z"})"},
                                             {"zone", How::Equal, ""},
                                             {"path", How::Equal, R"(c:\)"}};
  EXPECT_EQ(query.matchers, expected);
  EXPECT_EQ(query.from_ns, kNow - 30 * kMinuteNs);
  ServiceQuery again;
  ASSERT_TRUE(set_filters(again, to_conditions(query.matchers)).ok());
  EXPECT_EQ(again.matchers, expected);
}

TEST(service_query, what_makes_no_sense_is_said) {
  for (const char* text :
       {"service:", "shop", "service:shop{version}", "service:shop{version=1", "service:shop@x..y", "service:shop@now..-1h",
        "service:shop@-1h..-1h", "service:{version=1}", "service:shop{=1}", "service:shop{a!1}", "service:shop{a=\"1}",
        "service:shop{a=\"1\"b}", "service:shop{a=~(}", "service:shop{,}"})
    EXPECT_FALSE(parse_service_query(text, kNow).ok()) << text;
}

TEST(service_query, parameters_carry_all_of_it) {
  const auto query = *parse_service_query("service:a b/ü{version=1&2,node=n,pod=p}@1..2.5", kNow);
  EXPECT_EQ(to_parameters(query), "service=a%20b%2F%C3%BC&from=1.000000000&to=2.500000000&version=1%262&node=n&label.pod=p");
  EXPECT_EQ(to_parameters(*parse_service_query("service:a{node!=n,pod=p,version=~1.*}@1..2", kNow)),
            "service=a&from=1.000000000&to=2.000000000&label.pod=p&match=node%21%3D%22n%22%2Cversion%3D~%221.%2A%22");
}

}  // namespace atys::fleet
