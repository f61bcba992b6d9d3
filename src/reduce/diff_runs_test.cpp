// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>

#include "reduce/diff.h"
#include "reduce/distributions.h"
#include "reduce/random.h"

namespace atys::reduce {

namespace {

// A run of a program of `functions` functions of different size, sampled; each run has a speed of its own, and each function
// a little more.
Top sampled_run(Random& random, size_t functions, double slowdown_of_third, double run_noise = 0.03) {
  Top top;
  const double speed = std::exp(normal_quantile(random.uniform()) * run_noise);
  for (size_t i = 0; i < functions; ++i) {
    const double truth = 2000 / static_cast<double>(1 + i) * (i == 2 ? slowdown_of_third : 1) * speed *
                         std::exp(normal_quantile(random.uniform()) * run_noise);
    const double seen = std::max(0.0, std::round(truth + normal_quantile(random.uniform()) * std::sqrt(truth)));
    Entity entity;
    entity.name = "f" + std::to_string(i);
    top.rows.push_back({.entity = entity, .self = seen * 1e6, .total = seen * 1e6, .self_share_ci95 = {}});
    top.value_total += seen * 1e6;
    top.samples += seen;
  }
  return top;
}

Diff compare_runs(Random& random, size_t runs, double slowdown_of_third, bool per_run) {
  std::vector<Top> base;
  std::vector<Top> fresh;
  for (size_t i = 0; i < runs; ++i) {
    base.push_back(sampled_run(random, 20, 1));
    fresh.push_back(sampled_run(random, 20, slowdown_of_third));
  }
  DiffOptions options;
  if (per_run) options.base_work = options.fresh_work = std::vector<double>(runs, 1.0);
  return diff(base, fresh, options);
}

}  // namespace

TEST(diff_of_runs, false_alarms_stay_below_five_percent) {
  for (const bool per_run : {false, true}) {
    Random random(21);
    int alarms = 0;
    const int tries = 300;
    for (int i = 0; i < tries; ++i) alarms += compare_runs(random, 5, 1, per_run).has_significant_change ? 1 : 0;
    EXPECT_LE(static_cast<double>(alarms) / tries, 0.05) << per_run;
  }
}

// The reason for all this: samples of two runs are many, and both of one luck.
TEST(diff_of_runs, samples_alone_would_raise_false_alarms) {
  Random random(22);
  int alarms = 0;
  const int tries = 100;
  for (int i = 0; i < tries; ++i) alarms += compare_runs(random, 1, 1, false).has_significant_change ? 1 : 0;
  EXPECT_GT(alarms, 10);
}

TEST(diff_of_runs, names_the_function_that_changed_and_only_that_one) {
  Random random(23);
  int found = 0;
  int right = 0;
  int named = 0;
  const int tries = 100;
  for (int i = 0; i < tries; ++i) {
    const Diff result = compare_runs(random, 6, 1.3, true);
    found += result.verdict == DiffVerdict::Changed ? 1 : 0;
    for (const DiffRow& row : result.rows) {
      named += row.significant ? 1 : 0;
      right += row.significant && row.entity.name == "f2" ? 1 : 0;
    }
  }
  EXPECT_GE(right, 90);
  EXPECT_LE(named - right, named / 10);
  EXPECT_GE(found, right);
}

TEST(diff_of_runs, per_work_does_not_blame_the_others_for_what_one_did) {
  const auto run = [](double a, double b, double c) {
    Top top;
    for (const auto& [name, value] : {std::pair{"a", a}, std::pair{"b", b}, std::pair{"c", c}}) {
      Entity entity;
      entity.name = name;
      top.rows.push_back({.entity = entity, .self = value, .total = value, .self_share_ci95 = {}});
      top.value_total += value;
    }
    top.samples = 10'000;
    return top;
  };
  const std::vector<Top> base{run(500, 300, 200), run(502, 299, 199), run(499, 302, 201), run(501, 300, 200)};
  const std::vector<Top> fresh{run(500, 300, 400), run(501, 301, 402), run(499, 300, 398), run(500, 302, 400)};
  const Diff shares = diff(base, fresh, {});
  const Diff work = diff(base, fresh, {.measure = Measure::Self, .base_work = {1, 1, 1, 1}, .fresh_work = {1, 1, 1, 1}});
  const auto marked = [](const Diff& result) {
    return std::ranges::count_if(result.rows, [](const DiffRow& row) { return row.significant; });
  };
  // The shares of a and b shrank as well, but in step.
  EXPECT_EQ(marked(shares), 1);
  EXPECT_EQ(shares.rows.front().entity.name, "c");
  EXPECT_EQ(std::ranges::count(shares.rows, true, &DiffRow::is_in_step), 2);
  EXPECT_EQ(marked(work), 1);
  EXPECT_EQ(work.rows.front().entity.name, "c");
  EXPECT_NEAR(work.rows.front().work.delta, 200, 1);
  EXPECT_NEAR(work.total_work.delta, 200, 2);
}

TEST(diff_of_runs, divides_by_the_work_of_each_run) {
  Top one;
  one.value_total = 100;
  one.samples = 100;
  one.rows.push_back({.entity = {.name = "f", .file = {}, .line = 0, .module = {}, .kind = {}},
                      .self = 100,
                      .total = 100,
                      .self_share_ci95 = {}});
  Top ten = one;
  ten.value_total = ten.samples = ten.rows[0].self = ten.rows[0].total = 1000;
  const Diff result = diff({{one, one, one}}, {{ten, ten, ten}},
                           {.measure = Measure::Self, .base_work = {1, 1, 1}, .fresh_work = {10, 10, 10}});
  EXPECT_TRUE(result.rows.empty());
  EXPECT_EQ(result.total_work.delta, 0);
}

TEST(diff_of_runs, few_runs_are_inconclusive_and_say_how_many_would_do) {
  Random random(24);
  const Diff result = compare_runs(random, 2, 1, true);
  EXPECT_EQ(result.verdict, DiffVerdict::Inconclusive);
  EXPECT_GT(result.times_more_needed, 2);
  EXPECT_GT(result.resolution, 0.02);
}

TEST(diff_of_runs, one_run_against_several_borrows_their_spread) {
  Random random(25);
  std::vector<Top> base;
  for (int i = 0; i < 6; ++i) base.push_back(sampled_run(random, 20, 1));
  int alarms = 0;
  for (int i = 0; i < 200; ++i) {
    const Top single = sampled_run(random, 20, 1);
    alarms += diff(base, {&single, 1}, {}).has_significant_change ? 1 : 0;
  }
  EXPECT_LE(alarms, 20);
}

TEST(diff_of_runs, says_nothing_of_chance_where_samples_are_not_counted) {
  Random random(26);
  Top base = sampled_run(random, 20, 1);
  Top fresh = sampled_run(random, 20, 3);
  base.is_count_known = false;
  for (const bool per_run : {false, true}) {
    DiffOptions options;
    if (per_run) options.base_work = options.fresh_work = {1};
    const Diff result = diff({&base, 1}, {&fresh, 1}, options);
    EXPECT_EQ(result.verdict, DiffVerdict::Unknown);
    EXPECT_FALSE(result.is_known);
    EXPECT_FALSE(result.has_significant_change || result.has_total_change);
    for (const DiffRow& row : result.rows) EXPECT_FALSE(row.delta_ci95.is_known());
  }
}

// Runs tell how much they differ without anybody's counting.
TEST(diff_of_runs, finds_the_change_in_runs_whose_samples_are_not_counted) {
  Random random(27);
  std::vector<Top> base, fresh;
  for (int i = 0; i < 6; ++i) {
    base.push_back(sampled_run(random, 20, 1));
    fresh.push_back(sampled_run(random, 20, 2));
    base.back().is_count_known = fresh.back().is_count_known = false;
  }
  const Diff result =
      diff(base, fresh, {.measure = Measure::Self, .base_work = std::vector(6, 1.0), .fresh_work = std::vector(6, 1.0)});
  EXPECT_EQ(result.verdict, DiffVerdict::Changed);
  EXPECT_EQ(result.rows.front().entity.name, "f2");
  // Copies of one run agree, and say nothing by that.
  const Diff copies = diff(std::vector(2, base[0]), std::vector(2, fresh[0]), {});
  EXPECT_FALSE(copies.has_significant_change);
}

TEST(diff_of_runs, a_total_that_changed_is_a_change_though_no_function_stands_out) {
  const auto run = [](Random& random, double each) {
    Top top;
    for (int i = 0; i < 200; ++i) {
      const double value = each + normal_quantile(random.uniform()) * std::sqrt(each);
      Entity entity;
      entity.name = "f" + std::to_string(i);
      top.rows.push_back({.entity = entity, .self = value, .total = value, .self_share_ci95 = {}});
      top.value_total += value;
    }
    top.samples = top.value_total;
    return top;
  };
  Random random(28);
  std::vector<Top> base, fresh;
  for (int i = 0; i < 5; ++i) {
    base.push_back(run(random, 20));
    fresh.push_back(run(random, 21.5));
  }
  const Diff result =
      diff(base, fresh, {.measure = Measure::Self, .base_work = std::vector(5, 1.0), .fresh_work = std::vector(5, 1.0)});
  EXPECT_EQ(result.significant_rows, 0u);
  EXPECT_TRUE(result.has_total_change);
  EXPECT_EQ(result.verdict, DiffVerdict::Changed);
}

}  // namespace atys::reduce
