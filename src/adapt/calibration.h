// SPDX-License-Identifier: Apache-2.0
// The initialization stage: from a short profiling of a service in full to the settings with which it is then profiled for
// good. What pruning would save and cost, as curves; how much the service changes from window to window; and from both the
// largest pruning within an allowed error, and the threshold that tells changes from variation.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "adapt/fit.h"
#include "base/result.h"
#include "profile/profile.h"

namespace atys::adapt {

struct PruningPoint {
  double setting = 0;        // per cent of samples that the kept threads hold, or the bound on the error in per cent
  double time_saved = 0;     // of aggregation, per cent
  double rows_saved = 0;     // per cent
  double mape[4] = {};       // of the top 5, 10, 20, 50 functions' own time, per cent
  double mape_total = 0;     // of the top 50 by time with what they call, per cent
  double error_bound = 0;    // stated, in points
  double largest_error = 0;  // seen, of any function's share, in points
};
inline constexpr size_t kTops[4] = {5, 10, 20, 50};

struct Calibration {
  size_t windows = 0;
  size_t threads = 0;
  double samples = 0;
  std::vector<PruningPoint> by_threads;  // the paper's rule, by percentile
  std::vector<PruningPoint> by_error;    // ours, by bound
  Curve time_curve;                      // T(p) and MAPE(p) of the paper's rule
  Curve mape_curve;
  double percentile = 100;           // the smallest to keep with MAPE(p) within what is allowed
  double max_error = 0;              // the largest bound with a MAPE within it; 0: none
  std::vector<double> divergences;   // of each window and the one before it, noise taken off
  std::vector<double> plain;         // the paper's, noise included
  double threshold = 0;              // proposed
  double plain_threshold = 0;        // for the paper's algorithm
  double samples_per_hz_second = 0;  // how busy the service is: samples that one second gives for each Hz
};

struct CalibrationPlan {
  double hz = 0;                 // that the windows were sampled at
  double max_mape = 0.5;         // per cent, of the top 50
  size_t top = 10;               // functions that divergence looks at
  uint64_t (*cpu_clock)() = {};  // nanoseconds; what saving is measured by
};

// Windows with labels of threads, not pruned.
Result<Calibration> calibrate(std::span<const Profile> windows, const CalibrationPlan& plan);

}  // namespace atys::adapt
