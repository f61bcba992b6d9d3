// SPDX-License-Identifier: Apache-2.0
#include "fleet/controller/load_governor.h"

#include <algorithm>
#include <cmath>

namespace atys::fleet {

namespace {

// In seconds, to change by a factor of e.
constexpr double kSmoothing = 3;
constexpr double kFall = 5;
constexpr double kRise = 60;
constexpr double kLongestStep = 10;  // what one update may count for, however long ago the last one was

}  // namespace

void LoadGovernor::update(uint64_t now_ns, double load, bool turned_away) {
  if (last_ns_ == 0 || now_ns <= last_ns_) {
    last_ns_ = std::max(now_ns, last_ns_);
    return;
  }
  const double seconds = std::min(static_cast<double>(now_ns - last_ns_) / 1e9, kLongestStep);
  last_ns_ = now_ns;
  const double seen = turned_away ? std::max(load, 1.0) : load;
  smooth_ += (seen - smooth_) * (1 - std::exp(-seconds / kSmoothing));
  if (smooth_ > kHighMark) factor_ = std::max(kLeastFactor, factor_ * std::exp(-seconds / kFall));
  if (smooth_ < kLowMark) factor_ = std::min(1.0, factor_ * std::exp(seconds / kRise));
}

}  // namespace atys::fleet
