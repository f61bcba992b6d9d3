// SPDX-License-Identifier: Apache-2.0
#include "present/metrics/metric_text.h"

#include <gtest/gtest.h>

namespace atys::present::metrics {

TEST(metric_text, has_help_type_and_samples) {
  MetricText text;
  text.family("atys_a_total", MetricType::Counter, "What a is.");
  text.sample(1.5, {{"function", "main"}, {"node", "n1"}});
  text.sample(2);
  EXPECT_EQ(text.take(),
            "# HELP atys_a_total What a is.\n# TYPE atys_a_total counter\n"
            "atys_a_total{function=\"main\",node=\"n1\"} 1.5\natys_a_total 2\n");
}

TEST(metric_text, names_of_functions_are_data) {
  MetricText text;
  text.family("a", MetricType::Gauge, "h");
  text.sample(1, {{"function", "a\"b\\c\nd\x1b[31m\xff"}});
  EXPECT_NE(text.take().find("{function=\"a\\\"b\\\\c d [31m\xef\xbf\xbd\"} 1\n"), std::string::npos);
  text.family("a", MetricType::Gauge, "h");
  text.sample(1, {{"function", std::string(10000, 'x')}});
  EXPECT_LT(text.take().size(), 300u);
}

}  // namespace atys::present::metrics
