// SPDX-License-Identifier: Apache-2.0
// How far a share measured by sampling can be trusted. docs/decisions/0004 gives the method and its limits.
#pragma once

#include <cstddef>
#include <limits>
#include <span>

#include "reduce/sample_count.h"

namespace atys::reduce {

struct Interval {
  double low = 0;
  double high = 0;

  bool is_known() const { return low == low && high == high; }
};

// Where nothing says how many samples there were: neither bound is a number.
inline constexpr Interval kUnknownInterval{std::numeric_limits<double>::quiet_NaN(),
                                           std::numeric_limits<double>::quiet_NaN()};

// 95 % interval (Wilson) of a share, 0 to 1, seen in `samples` samples. No samples: 0 to 1.
Interval share_interval(double share, double samples);
Interval share_interval(double share, const SampleCount& count);

// 95 % interval (Newcombe) of the difference of two shares.
Interval difference_interval(double base_share, double base_samples, double new_share, double new_samples);

// Two-sided p-value of the hypothesis that both shares are the same.
double difference_p_value(double base_share, double base_samples, double new_share, double new_samples);

// The largest p-value that still counts as significant among `p_values` so that at most `rate` of those called significant
// are expected to be false (Benjamini-Hochberg); negative if none is.
double false_discovery_threshold(std::span<const double> p_values, double rate = 0.05);

}  // namespace atys::reduce
