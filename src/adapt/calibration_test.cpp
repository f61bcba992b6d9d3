// SPDX-License-Identifier: Apache-2.0
#include "adapt/calibration.h"

#include <gtest/gtest.h>

#include <array>
#include <ctime>

#include "base/clock.h"
#include "reduce/random.h"

namespace atys::adapt {

namespace {

// 40 busy threads in 30 functions, 600 idle ones that were each seen once in a stack of their own. `phase` moves the hot
// ones.
Profile window(uint64_t seed, size_t phase) {
  Profile profile;
  profile.add_value_type("samples", "count");
  profile.add_value_type("cpu", "nanoseconds");
  profile.header.duration_ns = 1'000'000'000;
  reduce::Random random(seed);
  const auto add = [&](const std::string& leaf, const std::string& caller, int64_t thread, int64_t samples) {
    const std::array frames{profile.named_frame(leaf), profile.named_frame(caller), profile.named_frame("main")};
    profile.samples.add(profile.stacks.intern(frames), profile.label_set({profile.int_label("thread.id", thread)}),
                        std::array<int64_t, 2>{samples, samples * 1'000'000});
  };
  for (int64_t thread = 0; thread < 40; ++thread)
    for (size_t i = 0; i < 5; ++i)
      add("hot" + std::to_string((random.below(30) * random.below(30) / 30 + phase) % 30), "work", thread, 20);
  for (int64_t thread = 40; thread < 640; ++thread)
    add("hot" + std::to_string(random.below(30)), "idle" + std::to_string(random.below(5000)), thread, 1);
  return profile;
}

uint64_t cpu_clock() { return clock_ns(CLOCK_THREAD_CPUTIME_ID); }

}  // namespace

TEST(calibration, finds_what_pruning_costs_and_the_threshold_of_changes) {
  std::vector<Profile> windows;
  for (uint64_t i = 0; i < 24; ++i) windows.push_back(window(i, i / 8 * 10));
  const Calibration result = *calibrate(windows, {.hz = 99, .max_mape = 5, .cpu_clock = cpu_clock});
  EXPECT_EQ(result.windows, 24u);
  EXPECT_EQ(result.threads, 640u);
  ASSERT_EQ(result.by_threads.size(), 11u);
  EXPECT_EQ(result.by_threads.back().mape[3], 0);
  EXPECT_GT(result.by_threads.front().mape[3], result.by_threads[7].mape[3]);
  EXPECT_GT(result.by_threads.front().rows_saved, 20);
  for (const auto* points : {&result.by_threads, &result.by_error})
    for (const PruningPoint& point : *points) EXPECT_LE(point.largest_error, point.error_bound + 1e-9) << point.setting;
  EXPECT_GT(result.percentile, 80);
  // Two shifts in 23 steps, far above the rest.
  size_t above = 0;
  for (const double divergence : result.divergences) above += divergence > result.threshold ? 1 : 0;
  EXPECT_EQ(above, 2u);
}

TEST(calibration, a_service_that_did_nothing_cannot_be_calibrated) {
  const Profile empty;
  EXPECT_FALSE(calibrate({&empty, 1}, {.hz = 99, .cpu_clock = cpu_clock}).ok());
}

}  // namespace atys::adapt
