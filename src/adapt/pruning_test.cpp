// SPDX-License-Identifier: Apache-2.0
#include "adapt/pruning.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

namespace atys::adapt {

namespace {

std::vector<Unit> threads(size_t busy, size_t idle) {
  std::vector<Unit> units;
  for (size_t i = 0; i < busy; ++i) units.push_back({units.size(), 1000});
  for (size_t i = 0; i < idle; ++i) units.push_back({units.size(), 1 + static_cast<double>(i % 3)});
  return units;
}

double total(const std::vector<Unit>& units) {
  double sum = 0;
  for (const Unit& unit : units) sum += unit.samples;
  return sum;
}

}  // namespace

TEST(pruning, by_the_papers_rule_keeps_the_largest_that_hold_the_share) {
  const std::vector<Unit> units = threads(20, 100);
  const Pruning pruning = keep_largest(units, 0.99);
  EXPECT_EQ(pruning.kept.size() + pruning.dropped, units.size());
  EXPECT_LE(pruning.dropped_share, 0.01);
  EXPECT_GE(pruning.kept.size(), 20u);
  EXPECT_LT(pruning.kept.size(), 22u);
  EXPECT_EQ(pruning.error_bound, pruning.dropped_share);
}

TEST(pruning, of_nothing_is_nothing) {
  EXPECT_TRUE(keep_largest({}, 0.99).kept.empty());
  EXPECT_TRUE(thin_smallest({}, 0.01, 1).kept.empty());
  EXPECT_EQ(thin_smallest({}, 0.01, 1).error_bound, 0);
}

TEST(pruning, thinning_drops_more_within_the_same_error_and_loses_nothing_on_average) {
  const std::vector<Unit> units = threads(20, 1000);
  const Pruning thinned = thin_smallest(units, 0.01, 7);
  EXPECT_GT(thinned.dropped, 2 * keep_largest(units, 0.99).dropped);
  EXPECT_LE(thinned.error_bound, 0.01);
  EXPECT_EQ(thinned.dropped_share, 0);
  std::map<uint64_t, double> samples;
  for (const Unit& unit : units) samples[unit.key] = unit.samples;
  double mean = 0;
  constexpr int kDraws = 200;
  for (uint64_t seed = 0; seed < kDraws; ++seed)
    for (const Pruning::Kept& kept : thin_smallest(units, 0.01, seed).kept) mean += kept.weight * samples[kept.key] / kDraws;
  EXPECT_NEAR(mean / total(units), 1, 0.002);
}

TEST(pruning, the_stated_bound_holds_even_if_each_thread_runs_a_function_of_its_own) {
  const std::vector<Unit> units = threads(20, 1000);
  std::map<uint64_t, double> samples;
  for (const Unit& unit : units) samples[unit.key] = unit.samples;
  int outside = 0;
  constexpr int kDraws = 400;
  for (uint64_t seed = 0; seed < kDraws; ++seed) {
    const Pruning pruning = thin_smallest(units, 0.005, seed);
    double seen = 0;  // of one function: every second of the idle threads
    double truth = 0;
    for (const Unit& unit : units) truth += unit.key >= 20 && unit.key % 2 == 0 ? unit.samples : 0;
    for (const Pruning::Kept& kept : pruning.kept)
      seen += kept.key >= 20 && kept.key % 2 == 0 ? kept.weight * samples[kept.key] : 0;
    outside += std::abs(seen - truth) / total(units) > pruning.error_bound ? 1 : 0;
  }
  EXPECT_LE(outside, kDraws * 8 / 100);
}

TEST(pruning, the_sum_of_each_group_is_exact) {
  std::vector<Unit> units = threads(20, 1000);
  for (Unit& unit : units) unit.group = unit.key % 7;
  std::map<uint64_t, Unit> by_key;
  std::map<uint64_t, double> truth;
  for (const Unit& unit : units) by_key[unit.key] = unit, truth[unit.group] += unit.samples;
  const Pruning pruning = thin_smallest(units, 0.01, 3);
  EXPECT_GT(pruning.dropped, 500u);
  std::map<uint64_t, double> seen;
  for (const Pruning::Kept& kept : pruning.kept) seen[by_key[kept.key].group] += kept.weight * by_key[kept.key].samples;
  for (const auto& [group, samples] : truth) EXPECT_NEAR(seen[group], samples, 1e-6) << group;
}

TEST(pruning, equal_threads_are_not_pruned_where_the_error_does_not_allow_it) {
  std::vector<Unit> units;
  for (uint64_t i = 0; i < 10; ++i) units.push_back({i, 100});
  EXPECT_EQ(thin_smallest(units, 0.001, 1).dropped, 0u);
}

}  // namespace atys::adapt
