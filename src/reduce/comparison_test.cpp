// SPDX-License-Identifier: Apache-2.0
#include "reduce/comparison.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "reduce/distributions.h"
#include "reduce/random.h"
#include "reduce/sequential.h"

namespace atys::reduce {

namespace {

struct Machine {
  uint64_t seed;
  double noise;
  Random random{seed};

  // Slow drift that both of a pair have in common, noise of each run, and a disturbance now and then.
  void pair(double slowdown, std::vector<double>& a, std::vector<double>& b) {
    const double drift = 0.2 * std::sin(static_cast<double>(a.size()) / 5);
    a.push_back(std::exp(drift + one()));
    b.push_back(slowdown * std::exp(drift + one()));
  }
  double one() {
    const double small = normal_quantile(random.uniform()) * noise;
    return random.uniform() < 0.05 ? small + random.uniform() : small;
  }
};

// As `compare` does it: looks until decided.
Judgement run_until_decided(Machine& machine, double slowdown, size_t most) {
  SpendingPlan plan(most);
  std::vector<double> a;
  std::vector<double> b;
  Judgement judgement;
  for (const size_t look : looks_up_to(most)) {
    while (a.size() < look) machine.pair(slowdown, a, b);
    judgement = judge(a, b, {.level = plan.next_level(look, look == most)});
    if (judgement.verdict != Verdict::Inconclusive) break;
  }
  return judgement;
}

}  // namespace

TEST(judge, finds_a_large_difference_with_few_pairs) {
  Machine machine{1, 0.02};
  const Judgement slower = run_until_decided(machine, 2, 30);
  EXPECT_EQ(slower.verdict, Verdict::Slower);
  EXPECT_LE(slower.pairs, 12u);
  EXPECT_NEAR(slower.ratio, 2, 0.1);
  EXPECT_EQ(run_until_decided(machine, 0.5, 30).verdict, Verdict::Faster);
}

TEST(judge, says_same_only_within_the_difference_that_matters) {
  Machine quiet{2, 0.005};
  EXPECT_EQ(run_until_decided(quiet, 1, 60).verdict, Verdict::Same);
  Machine loud{2, 0.3};
  const Judgement unsure = run_until_decided(loud, 1, 20);
  EXPECT_EQ(unsure.verdict, Verdict::Inconclusive);
  EXPECT_GT(unsure.noise_floor, 0.02);
  EXPECT_GT(unsure.more_pairs, 20u);
}

TEST(judge, false_alarms_over_all_looks_stay_below_five_percent) {
  for (const double noise : {0.02, 0.2}) {
    Machine machine{77, noise};
    int alarms = 0;
    const int tries = 60;
    for (int i = 0; i < tries; ++i) {
      const Verdict verdict = run_until_decided(machine, 1, 30).verdict;
      alarms += verdict == Verdict::Faster || verdict == Verdict::Slower ? 1 : 0;
    }
    EXPECT_LE(static_cast<double>(alarms) / tries, 0.05) << noise;
  }
}

TEST(judge, finds_five_percent_where_runs_vary_by_two) {
  Machine machine{13, 0.02};
  int found = 0;
  const int tries = 40;
  for (int i = 0; i < tries; ++i) found += run_until_decided(machine, 1.05, 100).verdict == Verdict::Slower ? 1 : 0;
  EXPECT_GE(static_cast<double>(found) / tries, 0.9);
}

TEST(judge, of_nothing_is_inconclusive) {
  const Judgement nothing = judge({}, {}, {});
  EXPECT_EQ(nothing.verdict, Verdict::Inconclusive);
  EXPECT_EQ(nothing.more_pairs, 0u);
  EXPECT_STREQ(to_string(nothing.verdict), "inconclusive");
}

}  // namespace atys::reduce
