// SPDX-License-Identifier: Apache-2.0
// Services are simulated: a distribution of time over functions, from which a window at a rate draws its samples.
#include "adapt/frequency.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "adapt/divergence.h"
#include "adapt/mixture.h"
#include "reduce/random.h"

namespace atys::adapt {

namespace {

using Distribution = std::vector<double>;

constexpr double kWindowSeconds = 10;
constexpr FrequencyPlan kPlan{.min_hz = 9, .max_hz = 999, .threshold = 0.01};

Distribution zipf(size_t functions, size_t rotated) {
  Distribution shares(functions);
  double sum = 0;
  for (size_t i = 0; i < functions; ++i) sum += shares[(i + rotated) % functions] = 1.0 / static_cast<double>(i + 1);
  for (double& share : shares) share /= sum;
  return shares;
}

Shares draw(const Distribution& truth, double hz, reduce::Random& random) {
  Shares window;
  window.total = std::round(hz * kWindowSeconds);
  for (int i = 0; i < static_cast<int>(window.total); ++i) {
    double at = random.uniform();
    size_t function = 0;
    while (function + 1 < truth.size() && at >= truth[function]) at -= truth[function++];
    window.samples["f" + std::to_string(function)] += 1;
  }
  return window;
}

double error(const Shares& seen, const Distribution& truth) {
  double sum = 0;
  for (size_t i = 0; i < truth.size(); ++i) sum += std::abs(seen.share("f" + std::to_string(i)) - truth[i]);
  return sum / static_cast<double>(truth.size());
}

struct Outcome {
  double mean_hz = 0;
  double window_error = 0;     // mean over windows of the estimate that the window's stretch gives
  std::vector<size_t> alarms;  // windows that were said to be changes
};

struct Pool {
  Shares sum;
  size_t windows = 0;
};

// As WindowPool does it.
Shares estimate(const std::map<uint64_t, Pool>& pools, uint64_t stretch) {
  const auto at = pools.find(stretch);
  if (at->second.windows > 1 || at == pools.begin() || std::next(at) == pools.end()) return at->second.sum;
  const Shares& before = std::prev(at)->second.sum;
  const Shares& after = std::next(at)->second.sum;
  const Mixture mixture = fit_mixture(before, at->second.sum, after);
  if (!mixture.fits) return at->second.sum;
  Shares mixed;
  mixed.total = 1;
  for (const auto& [function, samples] : before.samples) mixed.samples[function] += mixture.before * samples / before.total;
  for (const auto& [function, samples] : after.samples)
    mixed.samples[function] += (1 - mixture.before) * samples / after.total;
  return mixed;
}

Outcome run(FrequencyPolicy& policy, const std::vector<Distribution>& truth, uint64_t seed, bool pool) {
  reduce::Random random(seed);
  Outcome result;
  double hz = policy.first_hz();
  std::vector<Shares> windows;
  std::vector<uint64_t> stretch_of;
  for (const Distribution& now : truth) {
    windows.push_back(draw(now, hz, random));
    result.mean_hz += hz / static_cast<double>(truth.size());
    const NextWindow next = policy.next(windows.back(), hz);
    if (next.changed) result.alarms.push_back(windows.size() - 1);
    stretch_of.push_back(next.stretch);
    hz = next.hz;
  }
  std::map<uint64_t, Pool> pools;
  for (size_t i = 0; i < windows.size(); ++i) {
    add(pools[stretch_of[i]].sum, windows[i], 1000);
    ++pools[stretch_of[i]].windows;
  }
  for (size_t i = 0; i < windows.size(); ++i)
    result.window_error +=
        error(pool ? estimate(pools, stretch_of[i]) : windows[i], truth[i]) / static_cast<double>(windows.size());
  return result;
}

// Callers that spend their time in one and the same library, whoever of them runs.
Shares draw_calls(const Distribution& callers, const Distribution& library, double hz, reduce::Random& random) {
  const Shares of_callers = draw(callers, hz, random);
  Shares window = draw(library, hz, random);
  window.within = window.samples;
  for (const auto& [function, samples] : of_callers.samples) window.within["caller " + function] = samples;
  window.within["main"] = window.total;
  return window;
}

std::vector<Distribution> phases(size_t windows, size_t of_each) {
  std::vector<Distribution> truth;
  for (size_t i = 0; i < windows; ++i) truth.push_back(zipf(20, i / of_each * 3));
  return truth;
}

}  // namespace

TEST(frequency, noise_alone_is_no_change) {
  const auto policy = pooled_frequency(kPlan);
  const Outcome result = run(*policy, phases(1000, 1000), 1, true);
  EXPECT_LE(result.alarms.size(), 5u);  // one in a thousand windows is allowed for
  EXPECT_LT(result.mean_hz, 2 * kPlan.min_hz);
}

TEST(frequency, the_papers_algorithm_takes_noise_at_low_rates_for_changes) {
  const auto policy = paper_frequency(kPlan);
  EXPECT_GT(run(*policy, phases(1000, 1000), 1, false).mean_hz, 3 * kPlan.min_hz);
}

TEST(frequency, a_shift_is_noticed_in_its_first_window_and_paid_for_once) {
  const auto policy = pooled_frequency(kPlan);
  const Outcome result = run(*policy, phases(100, 50), 2, true);
  ASSERT_FALSE(result.alarms.empty());
  EXPECT_EQ(result.alarms.front(), 50u);
  EXPECT_LE(result.mean_hz, 0.03 * kPlan.max_hz);
}

TEST(frequency, a_shift_between_callers_of_one_library_is_noticed_in_its_first_window) {
  constexpr FrequencyPlan kLow{.min_hz = 5, .max_hz = 999, .threshold = 0.01};
  const auto policy = pooled_frequency(kLow);
  reduce::Random random(3);
  double hz = policy->first_hz();
  std::vector<size_t> alarms;
  for (size_t i = 0; i < 400; ++i) {
    const Distribution callers = i < 300 ? Distribution{0.6, 0.2, 0.1, 0.1} : Distribution{0.2, 0.6, 0.1, 0.1};
    const NextWindow next = policy->next(draw_calls(callers, zipf(20, 0), hz, random), hz);
    if (next.changed) alarms.push_back(i);
    hz = next.hz;
  }
  EXPECT_TRUE(std::ranges::count(alarms, 300u) == 1);
  EXPECT_LE(alarms.size(), 3u);  // one in a thousand windows is allowed for
}

TEST(divergence, what_was_not_counted_apart_is_no_difference) {
  Shares a{.total = 1000, .within = {{"main", 1000}, {"serve", 500}}};
  Shares b{.total = 1000, .within = {{"main", 1000}}};
  EXPECT_LT(compare(a, b, 10).p_value(), 1e-6);
  b.within_floor = 600;
  EXPECT_EQ(compare(a, b, 10).within_p, 1);
}

TEST(frequency, a_drift_that_no_window_shows_is_noticed) {
  std::vector<Distribution> truth;
  const Distribution from = zipf(20, 0);
  const Distribution to = zipf(20, 5);
  for (size_t i = 0; i < 600; ++i) {
    Distribution now(20);
    for (size_t f = 0; f < 20; ++f) now[f] = from[f] + (to[f] - from[f]) * static_cast<double>(i) / 600;
    truth.push_back(now);
  }
  const auto policy = pooled_frequency(kPlan);
  EXPECT_GE(run(*policy, truth, 3, true).alarms.size(), 2u);
}

TEST(frequency, a_hotspot_of_twenty_seconds_in_a_quiet_hour_is_caught) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    std::vector<Distribution> truth = phases(360, 360);
    for (Distribution* now : {&truth[200], &truth[201]}) {
      for (double& share : *now) share *= 0.7;
      (*now)[19] += 0.3;
    }
    const auto policy = pooled_frequency(kPlan);
    const Outcome result = run(*policy, truth, seed, true);
    EXPECT_TRUE(std::any_of(result.alarms.begin(), result.alarms.end(), [](size_t at) { return at == 200 || at == 201; }))
        << seed << ": " << testing::PrintToString(result.alarms);
  }
}

TEST(frequency, pooled_windows_are_as_good_as_the_highest_rate_at_a_twentieth_of_its_samples) {
  double ours = 0;
  double highest = 0;
  double hz = 0;
  constexpr int kRuns = 10;
  for (uint64_t seed = 0; seed < kRuns; ++seed) {
    const auto pooled = pooled_frequency(kPlan);
    const auto fixed = fixed_frequency(kPlan.max_hz);
    const Outcome result = run(*pooled, phases(400, 20), seed, true);
    ours += result.window_error;
    hz += result.mean_hz / kRuns;
    highest += run(*fixed, phases(400, 20), seed, false).window_error;
  }
  EXPECT_LE(ours, 1.1 * highest);
  EXPECT_LE(hz, 0.05 * kPlan.max_hz);
}

// Nothing in the world changes exactly when a window ends.
TEST(frequency, changes_in_the_middle_of_a_window_are_told_as_well) {
  double ours = 0;
  double highest = 0;
  double hz = 0;
  constexpr int kRuns = 10;
  for (uint64_t seed = 0; seed < kRuns; ++seed) {
    std::vector<Distribution> truth = phases(400, 20);
    for (size_t i = 20; i < truth.size(); i += 20)
      for (size_t f = 0; f < 20; ++f) truth[i][f] = 0.3 * truth[i - 1][f] + 0.7 * truth[i + 1][f];
    const auto pooled = pooled_frequency(kPlan);
    const auto fixed = fixed_frequency(kPlan.max_hz);
    const Outcome result = run(*pooled, truth, seed, true);
    ours += result.window_error;
    hz += result.mean_hz / kRuns;
    highest += run(*fixed, truth, seed, false).window_error;
  }
  EXPECT_LE(ours, 1.2 * highest);
  EXPECT_LE(hz, 0.05 * kPlan.max_hz);
}

TEST(frequency, a_budget_that_lowers_the_rate_only_makes_it_take_longer) {
  const auto policy = pooled_frequency(kPlan);
  reduce::Random random(4);
  double asked = policy->first_hz();
  for (int i = 0; i < 40; ++i)
    asked = policy->next(draw(zipf(20, 0), std::min(asked, 99.0), random), std::min(asked, 99.0)).hz;
  EXPECT_EQ(asked, kPlan.min_hz);
}

TEST(frequency, idle_windows_change_nothing) {
  const auto policy = pooled_frequency(kPlan);
  const double before = policy->first_hz();
  const NextWindow next = policy->next(Shares{}, before);
  EXPECT_EQ(next.hz, before);
  EXPECT_FALSE(next.changed);
}

TEST(frequency, rates_of_the_papers_algorithm_are_its_powers_of_the_decay) {
  const FrequencyPlan plan{.min_hz = 1, .max_hz = 1000, .threshold = 0.5, .decay = 0.8, .stable_windows = 5};
  const auto policy = paper_frequency(plan);
  Shares same;
  same.samples["f"] = same.total = 100;
  double hz = policy->first_hz();
  for (int i = 0; i < 5; ++i) hz = policy->next(same, hz).hz;
  EXPECT_EQ(hz, 1000);
  EXPECT_EQ(hz = policy->next(same, hz).hz, 800);
  EXPECT_EQ(hz = policy->next(same, hz).hz, 640);
  Shares other;
  other.samples["g"] = other.total = 100;
  EXPECT_EQ(policy->next(other, hz).hz, 800);
}

TEST(divergence, of_samples_of_one_distribution_is_what_noise_gives) {
  reduce::Random random(5);
  double excess = 0;
  double noise = 0;
  for (int i = 0; i < 200; ++i) {
    const Divergence divergence = compare(draw(zipf(20, 0), 20, random), draw(zipf(20, 0), 50, random), 10);
    excess += divergence.js - divergence.noise;
    noise += divergence.noise;
  }
  EXPECT_LT(std::abs(excess), 0.1 * noise);
}

}  // namespace atys::adapt
