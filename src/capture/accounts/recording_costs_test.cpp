// SPDX-License-Identifier: Apache-2.0
#include "capture/accounts/recording_costs.h"

#include <gtest/gtest.h>

namespace atys::capture {

namespace {

// Work of a helper counts as ours, in numbers that we choose.
constexpr uint64_t kHour = 3'600'000'000'000;

uint64_t hours(uint64_t ns) { return ns / kHour; }

}  // namespace

TEST(recording_costs, tells_apart_what_the_time_went_for) {
  CpuMeter first_looks;
  RecordingCosts costs(first_looks, true);
  costs.begin_sampling();
  add_helper_cpu(2 * kHour);
  {
    const CpuMeter::Use look(first_looks);
    add_helper_cpu(3 * kHour);
  }
  {
    const RecordingCosts::Naming naming(costs);
    add_helper_cpu(5 * kHour);
  }
  EXPECT_EQ(hours(costs.first_looks_ns()), 3u);
  EXPECT_EQ(hours(costs.naming_ns()), 5u);
  EXPECT_EQ(hours(costs.sampling_ns()), 2u);
}

TEST(recording_costs, what_came_before_sampling_is_not_in_it) {
  CpuMeter first_looks;
  RecordingCosts costs(first_looks, true);
  {
    const CpuMeter::Use look(first_looks);
    add_helper_cpu(kHour);
  }
  costs.begin_sampling();
  EXPECT_GE(hours(costs.setup_ns()), 1u);
  EXPECT_EQ(hours(costs.first_looks_ns()), 0u);
  EXPECT_EQ(hours(costs.sampling_ns()), 0u);
}

}  // namespace atys::capture
