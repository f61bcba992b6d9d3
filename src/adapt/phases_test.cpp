// SPDX-License-Identifier: Apache-2.0
#include "adapt/phases.h"

#include <gtest/gtest.h>

#include <random>

namespace atys::adapt {
namespace {

constexpr int64_t kStart = 1'700'000'000'000'000'000;
constexpr int64_t kMs = 1'000'000;

// A sample each 10 ms; `function` says which one runs at that sample.
template <typename Function>
std::vector<TimedSample> run(size_t count, Function function) {
  std::vector<TimedSample> samples;
  for (size_t i = 0; i < count; ++i)
    samples.push_back({kStart + static_cast<int64_t>(i) * 10 * kMs, 1, static_cast<uint32_t>(function(i))});
  return samples;
}

double seconds(int64_t time_ns) { return static_cast<double>(time_ns - kStart) / 1e9; }

TEST(phases, of_a_run_that_reads_computes_and_writes_are_three) {
  const auto samples = run(400, [](size_t i) { return i < 100 ? 1 : i < 300 ? 2 : 3; });
  const auto phases = find_phases(samples, 400);
  ASSERT_EQ(phases.size(), 3U);
  EXPECT_EQ(seconds(phases[0].from_ns), 0);
  EXPECT_NEAR(seconds(phases[0].to_ns), 1, 0.1);
  EXPECT_EQ(phases[0].to_ns, phases[1].from_ns);
  EXPECT_NEAR(seconds(phases[1].to_ns), 3, 0.1);
  EXPECT_EQ(phases[1].to_ns, phases[2].from_ns);
  EXPECT_NEAR(seconds(phases[2].to_ns), 3.99, 1e-6);
}

TEST(phases, are_found_where_only_the_mixture_changes) {
  std::mt19937 random(7);
  const auto samples = run(600, [&](size_t i) { return random() % 100 < (i < 300 ? 80 : 20) ? 1 : 2; });
  const auto phases = find_phases(samples, 600);
  ASSERT_EQ(phases.size(), 2U);
  EXPECT_NEAR(seconds(phases[0].to_ns), 3, 0.3);
}

TEST(phases, are_none_where_the_mixture_stays) {
  std::mt19937 random(1);
  size_t alarms = 0;
  for (int round = 0; round < 100; ++round) {
    const auto samples = run(50 + random() % 800, [&](size_t) { return random() % 7 * (random() % 3); });
    if (!find_phases(samples, static_cast<double>(samples.size())).empty()) ++alarms;
  }
  EXPECT_EQ(alarms, 0U);
}

TEST(phases, are_none_where_it_goes_back_and_forth) {
  EXPECT_TRUE(find_phases(run(960, [](size_t i) { return i / 60 % 2; }), 960).empty()) << "sixteen are too many";
  EXPECT_TRUE(find_phases(run(960, [](size_t i) { return i % 2; }), 960).empty()) << "as fast as it is sampled";
}

TEST(phases, do_not_include_the_moment_of_the_change) {
  for (int inside = 0; inside <= 50; inside += 5) {  // of the fourth window, still of the first phase
    std::vector<TimedSample> samples;
    for (int i = 0; i < 400; ++i) samples.push_back({kStart + (i / 50) * 250 * kMs, 1, i < 150 + inside ? 1U : 2U});
    EXPECT_EQ(find_phases(samples, 400).size(), 2U) << inside;
  }
}

TEST(phases, that_somebody_has_found_already_are_found_again) {
  std::vector<TimedSample> samples;
  for (int i = 0; i < 300; ++i) samples.push_back({kStart + (i / 100) * 700 * kMs, 1, static_cast<uint32_t>(i / 100)});
  EXPECT_EQ(find_phases(samples, 300, true).size(), 3U);
}

TEST(phases, need_samples) {
  EXPECT_TRUE(find_phases({}, 0).empty());
  EXPECT_TRUE(find_phases(run(1, [](size_t) { return 1; }), 1).empty());
  EXPECT_TRUE(find_phases(run(20, [](size_t i) { return i < 10; }), 20).empty());
  EXPECT_TRUE(find_phases(run(400, [](size_t i) { return i < 200; }), 8).empty()) << "they are worth eight only";
}

TEST(phases, are_found_where_many_samples_have_the_same_few_times) {
  std::vector<TimedSample> samples;
  for (int i = 0; i < 200; ++i) samples.push_back({kStart + (i / 25) * 250 * kMs, 5, i < 75 ? 1U : 2U});
  const auto phases = find_phases(samples, 200);
  ASSERT_EQ(phases.size(), 2U);
  EXPECT_EQ(phases[1].from_ns, kStart + 750 * kMs);
}

}  // namespace
}  // namespace atys::adapt
