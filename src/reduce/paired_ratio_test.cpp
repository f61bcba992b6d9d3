// SPDX-License-Identifier: Apache-2.0
#include "reduce/paired_ratio.h"

#include <gtest/gtest.h>

#include <cmath>

#include "reduce/distributions.h"
#include "reduce/random.h"

namespace atys::reduce {

namespace {

// Noise as machines have it: mostly small, now and then a run that was disturbed.
double noise(Random& random) {
  const double small = normal_quantile(random.uniform()) * 0.02;
  return random.uniform() < 0.1 ? small + random.uniform() * 0.5 : small;
}

std::vector<double> noisy_ratios(Random& random, size_t count, double truth) {
  std::vector<double> ratios;
  for (size_t i = 0; i < count; ++i) ratios.push_back(truth + noise(random) - noise(random));
  return ratios;
}

}  // namespace

TEST(paired_ratio, is_symmetric_and_leaves_out_what_has_no_ratio) {
  const std::vector<double> a{1, 2, 0, 4};
  const std::vector<double> b{2, 2, 5, 2};
  EXPECT_EQ(log_ratios(a, b), (std::vector<double>{std::log(2), 0, -std::log(2)}));
  EXPECT_EQ(median({3, 1, 2}), 2);
  EXPECT_EQ(median({4, 1, 2, 3}), 2.5);
  EXPECT_EQ(median({}), 0);
}

TEST(sign_test, gives_binomial_probabilities) {
  EXPECT_DOUBLE_EQ(sign_test(std::vector<double>{1, 1, 1, 1, 1, 1, 1}), 2.0 / 128);
  EXPECT_DOUBLE_EQ(sign_test(std::vector<double>{1, 1, 1, 1, 1, -1, 0}), 14.0 / 64);
  EXPECT_DOUBLE_EQ(sign_test(std::vector<double>{}), 1);
}

TEST(signed_rank_test, gives_the_figures_of_tables) {
  EXPECT_DOUBLE_EQ(signed_rank_test(std::vector<double>{1, 2, 3, 4, 5, 6, 7}), 2.0 / 128);
  // Rank sums of at most 3 of 8 values: 5 of 256 subsets on each side.
  EXPECT_DOUBLE_EQ(signed_rank_test(std::vector<double>{1, 2, -3, 4, 5, 6, 7, 8}), 10.0 / 256);
  EXPECT_DOUBLE_EQ(signed_rank_test(std::vector<double>{1, -1}), 1);
  EXPECT_DOUBLE_EQ(signed_rank_test(std::vector<double>{1, 1, 1}), 0.25);
}

TEST(signed_rank_test, approximation_for_many_continues_the_exact_one) {
  std::vector<double> values;
  for (int i = 1; i <= 100; ++i) values.push_back(i % 3 == 0 ? -i : i);
  const double exact = signed_rank_test(values);
  values.push_back(1e-9);
  EXPECT_NEAR(std::log(signed_rank_test(values)), std::log(exact), 0.35);
}

TEST(signed_rank_test, false_alarms_are_as_stated) {
  Random random(3);
  int alarms = 0;
  const int tries = 4000;
  for (int i = 0; i < tries; ++i) alarms += signed_rank_test(noisy_ratios(random, 20, 0)) <= 0.05 ? 1 : 0;
  EXPECT_NEAR(static_cast<double>(alarms) / tries, 0.05, 0.012);
}

TEST(median_interval, holds_the_truth_as_often_as_it_says_also_with_few_pairs) {
  for (const size_t pairs : {7u, 12u, 30u}) {
    Random random(pairs);
    int held = 0;
    const int tries = 300;
    for (int i = 0; i < tries; ++i) {
      const Interval interval = median_interval(noisy_ratios(random, pairs, 0.05), 0.05, 1);
      held += interval.low <= 0.05 && 0.05 <= interval.high ? 1 : 0;
    }
    EXPECT_GE(static_cast<double>(held) / tries, 0.93) << pairs;
  }
}

TEST(median_interval, is_the_same_for_the_same_seed_and_mirrors) {
  Random random(5);
  std::vector<double> values = noisy_ratios(random, 15, 0.1);
  const Interval once = median_interval(values, 0.05, 42);
  const Interval again = median_interval(values, 0.05, 42);
  EXPECT_EQ(once.low, again.low);
  for (double& value : values) value = -value;
  const Interval mirrored = median_interval(values, 0.05, 42);
  EXPECT_NEAR(mirrored.low, -once.high, 0.01);
}

TEST(median_interval, of_too_few_says_nothing) {
  EXPECT_TRUE(std::isinf(median_interval(std::vector<double>{0.1, 0.1}, 0.05, 1).low));
  EXPECT_TRUE(std::isinf(median_interval(std::vector<double>{}, 0.05, 1).high));
}

TEST(noise_floor, is_what_comparing_a_thing_with_itself_shows) {
  Random random(11);
  int within = 0;
  const int tries = 300;
  for (int i = 0; i < tries; ++i) {
    std::vector<double> a;
    for (int run = 0; run < 40; ++run) a.push_back(std::exp(noise(random)));
    const double itself = median(noisy_ratios(random, 40, 0));
    within += std::abs(itself) <= noise_floor(a, 40, 1) ? 1 : 0;
  }
  EXPECT_NEAR(static_cast<double>(within) / tries, 0.95, 0.05);
  EXPECT_EQ(noise_floor(std::vector<double>{1}, 10, 1), 0);
}

}  // namespace atys::reduce
