// SPDX-License-Identifier: Apache-2.0
// The difference of two means over runs. What sampling alone does to them is known, and is the least that is believed: two
// runs that happen to agree do not make a change certain.
#pragma once

#include <span>

#include "reduce/confidence.h"

namespace atys::reduce {

struct RunSeries {
  std::span<const double> values;  // one for each run
  double sampling_variance = 0;    // of one run's value, mean of the runs
  bool is_sampling_known = true;   // else runs that agree say nothing: there is no least that is believed
};

struct Difference {
  double delta = 0;  // fresh - base
  Interval ci95;
  double p_value = 1;
};

// Welch's t-test with Satterthwaite's degrees of freedom; where one side has one run, it is taken to vary like the other.
// With one run on each side the interval is that of sampling.
Difference difference_of_means(const RunSeries& base, const RunSeries& fresh);

// One run on each side, values that are sums of samples worth `unit` each (Poisson): score interval and test.
struct WeightedCount {
  double value = 0;
  double unit = 0;
};
Difference difference_of_counts(const WeightedCount& base, const WeightedCount& fresh);

}  // namespace atys::reduce
