// SPDX-License-Identifier: Apache-2.0
#include "present/metrics/agent_metrics.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "profile/kinds.h"

namespace atys::present::metrics {

namespace {

// A function with 2 of a value type, of which 1 is its own.
std::string render_one(std::string_view value_type) {
  verbs::AgentStatus status;
  status.hotspots = {{{"shop", "i1", std::string(value_type)}, {{"main", 1, 2}}}};
  return render(status);
}

bool has(const std::string& text, const std::string& line) { return text.find("\n" + line + "\n") != std::string::npos; }

}  // namespace

TEST(agent_metrics, have_each_kind_in_its_family) {
  for (const profile::KindRow& kind : profile::kinds()) {
    const std::string type(kind.is_every_event() ? "cycles" : kind.columns.weight);
    const std::string labels = R"({service="shop",service_instance="i1",function="main")" +
                               (kind.metric.is_shared ? ",kind=\"" + type + "\"}" : "}");
    const std::string text = render_one(type);
    EXPECT_TRUE(has(text, fmt::format("atys_function_{}_total{} 1", kind.metric.name, labels))) << kind.name << text;
    EXPECT_TRUE(has(text, fmt::format("atys_function_inclusive_{}_total{} 2", kind.metric.name, labels)))
        << kind.name << text;
  }
}

TEST(agent_metrics, have_names_that_dashboards_know) {
  EXPECT_TRUE(
      has(render_one("cpu"), R"(atys_function_cpu_seconds_total{service="shop",service_instance="i1",function="main"} 1)"));
  EXPECT_TRUE(has(render_one("wall"),
                  R"(atys_function_seconds_total{service="shop",service_instance="i1",function="main",kind="wall"} 1)"));
  EXPECT_TRUE(
      has(render_one("alloc_space"),
          R"(atys_function_value_total{service="shop",service_instance="i1",function="main",kind="alloc_space"} 1)"));
}

TEST(agent_metrics, tell_each_family_once) {
  const std::string text = render_one("cpu");
  for (const profile::KindRow& kind : profile::kinds()) {
    const std::string head = fmt::format("# TYPE atys_function_{}_total ", kind.metric.name);
    ASSERT_NE(text.find(head), std::string::npos) << kind.name;
    EXPECT_EQ(text.find(head), text.rfind(head)) << kind.name;
  }
}

}  // namespace atys::present::metrics
