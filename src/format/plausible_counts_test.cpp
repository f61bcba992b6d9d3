// SPDX-License-Identifier: Apache-2.0
#include "format/plausible_counts.h"

#include <gtest/gtest.h>

#include <vector>

namespace atys::format {

TEST(plausible_counts, takes_what_can_be_counts_for_counts) {
  EXPECT_TRUE(may_count_samples({}));
  EXPECT_TRUE(may_count_samples(std::vector<int64_t>{60, 30, 10}));
  EXPECT_TRUE(may_count_samples(std::vector<int64_t>{12'345, 3, 1, 1, 2, 800}));
  std::vector<int64_t> fleet(1000, 1);  // a long tail
  fleet[0] = 50'000'000;
  EXPECT_TRUE(may_count_samples(fleet));
}

TEST(plausible_counts, takes_no_nanoseconds_bytes_or_cycles_for_counts) {
  EXPECT_FALSE(may_count_samples(std::vector<int64_t>{10'101'010, 20'202'020, 10'098'223}));  // one sample each
  EXPECT_FALSE(may_count_samples(std::vector<int64_t>{17, 90'112, 4'000'123, 256'011}));      // microseconds of waiting
  EXPECT_FALSE(may_count_samples(std::vector<int64_t>(40, 10)));                              // milliseconds, 10 a sample
  EXPECT_FALSE(may_count_samples(std::vector<int64_t>{INT64_MIN}));
}

}  // namespace atys::format
