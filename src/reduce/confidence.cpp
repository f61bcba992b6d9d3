// SPDX-License-Identifier: Apache-2.0
#include "reduce/confidence.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace atys::reduce {

namespace {

constexpr double kZ95 = 1.959963984540054;

}  // namespace

Interval share_interval(double share, double samples) {
  if (samples <= 0) return {0, 1};
  const double p = std::clamp(share, 0.0, 1.0);
  const double z2 = kZ95 * kZ95;
  const double center = (p + z2 / (2 * samples)) / (1 + z2 / samples);
  const double half = kZ95 / (1 + z2 / samples) * std::sqrt(p * (1 - p) / samples + z2 / (4 * samples * samples));
  return {std::max(0.0, std::min(center - half, p)), std::min(1.0, std::max(center + half, p))};
}

Interval difference_interval(double base_share, double base_samples, double new_share, double new_samples) {
  const Interval base = share_interval(base_share, base_samples);
  const Interval fresh = share_interval(new_share, new_samples);
  const double delta = new_share - base_share;
  return {delta - std::hypot(new_share - fresh.low, base.high - base_share),
          delta + std::hypot(fresh.high - new_share, base_share - base.low)};
}

Interval share_interval(double share, const SampleCount& count) {
  return count.is_known ? share_interval(share, count.effective) : kUnknownInterval;
}

double difference_p_value(double base_share, double base_samples, double new_share, double new_samples) {
  if (base_samples <= 0 || new_samples <= 0) return 1;
  const double pooled = (base_share * base_samples + new_share * new_samples) / (base_samples + new_samples);
  const double variance = pooled * (1 - pooled) * (1 / base_samples + 1 / new_samples);
  if (variance <= 0) return base_share == new_share ? 1 : 0;
  return std::erfc(std::abs(new_share - base_share) / std::sqrt(2 * variance));
}

double false_discovery_threshold(std::span<const double> p_values, double rate) {
  std::vector<double> sorted(p_values.begin(), p_values.end());
  std::ranges::sort(sorted);
  double threshold = -1;
  for (size_t i = 0; i < sorted.size(); ++i) {
    if (sorted[i] <= rate * static_cast<double>(i + 1) / static_cast<double>(sorted.size())) threshold = sorted[i];
  }
  return threshold;
}

}  // namespace atys::reduce
