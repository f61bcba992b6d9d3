// SPDX-License-Identifier: Apache-2.0
#include "reduce/confidence.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace atys::reduce {

namespace {

constexpr double kZ95 = 1.959963984540054;

// The column that counts samples, if the profile has one: pprof's ("samples", "count") and its kin.
int count_column(const Profile& profile) {
  for (size_t i = 0; i < profile.value_types().size(); ++i) {
    const auto& type = profile.value_types()[i];
    if (profile.text(type.unit) == "count" && profile.text(type.type) == "samples") return static_cast<int>(i);
  }
  return -1;
}

}  // namespace

double effective_samples(const Profile& profile, size_t column) {
  const int counts = count_column(profile);
  const auto period = static_cast<double>(profile.header.period);
  const bool column_is_period = counts < 0 && period > 0 && profile.value_types()[column] == profile.header.period_type;
  double sum = 0;
  double squares = 0;
  for (size_t row = 0; row < profile.samples.size(); ++row) {
    const double value = std::abs(static_cast<double>(profile.samples.value(row, column)));
    double count = 1;
    if (counts >= 0) count = std::max(1.0, static_cast<double>(profile.samples.value(row, static_cast<size_t>(counts))));
    if (column_is_period) count = std::max(1.0, value / period);
    sum += value;
    squares += value * value / count;
  }
  return squares == 0 ? 0 : sum * sum / squares;
}

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
