// SPDX-License-Identifier: Apache-2.0
#include "adapt/fit.h"

#include <gtest/gtest.h>

#include <cmath>

namespace atys::adapt {

namespace {

constexpr double kKept[] = {90, 92, 94, 95, 96, 97, 98, 99, 99.5, 99.9, 100};

template <typename Function>
std::vector<Point> points(const Function& function) {
  std::vector<Point> result;
  for (const double x : kKept) result.push_back({x, function(x)});
  return result;
}

}  // namespace

TEST(fit, finds_the_papers_shapes) {
  const Curve time = *fit(points([](double p) { return 114.44 - 1.0614 * p; }));
  EXPECT_EQ(time.shape, Curve::Shape::Linear);
  EXPECT_NEAR(time.b, -1.0614, 1e-6);
  const Curve error = *fit(points([](double p) { return 984.368 * std::log(-0.001 * p + 1.099); }));
  EXPECT_LT(error.error, 0.05);
  EXPECT_NEAR(error.at(95.5), 984.368 * std::log(-0.0955 + 1.099), 0.1);
}

TEST(fit, says_what_it_found_as_a_formula) {
  EXPECT_EQ(fit(points([](double p) { return 10 - 0.5 * p; }))->formula(), "10 - 0.5·p");
  EXPECT_FALSE(fit(std::vector<Point>{{1, 1}, {2, 2}}));
}

TEST(fit, the_least_that_must_be_kept_is_where_the_error_meets_what_is_allowed) {
  const Curve error = *fit(points([](double p) { return 2 * (100 - p); }));
  EXPECT_NEAR(least_kept(error, 10), 95, 0.2);
  EXPECT_EQ(least_kept(error, -1), 100);
}

TEST(threshold, lies_between_everyday_variation_and_changes) {
  std::vector<double> series;
  for (int i = 0; i < 100; ++i) series.push_back(i % 10 == 0 ? 0.2 + 0.001 * i : 0.001 + 0.00001 * i);
  const double threshold = propose_threshold(series);
  EXPECT_GT(threshold, 0.002);
  EXPECT_LT(threshold, 0.2);
}

TEST(threshold, of_a_service_that_never_changed_is_above_all_that_was_seen) {
  std::vector<double> series;
  for (int i = 0; i < 100; ++i) series.push_back(0.001 * (1 + i % 7));
  EXPECT_GT(propose_threshold(series), 0.007);
  EXPECT_GT(propose_threshold({}), 0);
}

}  // namespace atys::adapt
