// SPDX-License-Identifier: Apache-2.0
#include "reduce/run_series.h"

#include <algorithm>
#include <cmath>

#include "reduce/distributions.h"

namespace atys::reduce {

namespace {

constexpr double kZ95 = 1.959963984540054;

struct Spread {
  double mean = 0;
  double variance = 0;  // between runs; of fewer than two: 0
  double runs = 0;
};

Spread spread_of(std::span<const double> values) {
  Spread spread{.runs = static_cast<double>(values.size())};
  for (const double value : values) spread.mean += value / spread.runs;
  if (values.size() < 2) return spread;
  for (const double value : values) spread.variance += (value - spread.mean) * (value - spread.mean) / (spread.runs - 1);
  return spread;
}

Interval count_interval(const WeightedCount& count) {
  if (count.unit <= 0) return {0, 0};
  const double seen = std::max(0.0, count.value / count.unit);
  const double centre = seen + kZ95 * kZ95 / 2;
  const double half = kZ95 * std::sqrt(seen + kZ95 * kZ95 / 4);
  return {std::max(0.0, centre - half) * count.unit, (centre + half) * count.unit};
}

}  // namespace

Difference difference_of_means(const RunSeries& base, const RunSeries& fresh) {
  Spread a = spread_of(base.values);
  Spread b = spread_of(fresh.values);
  if (a.runs < 2) a.variance = b.variance;
  if (b.runs < 2) b.variance = a.variance;
  const double of_a = std::max(a.variance, base.sampling_variance) / a.runs;
  const double of_b = std::max(b.variance, fresh.sampling_variance) / b.runs;
  Difference difference{.delta = b.mean - a.mean};
  if (of_a + of_b <= 0 && !(base.is_sampling_known && fresh.is_sampling_known)) {
    difference.ci95 = kUnknownInterval;
    return difference;
  }
  if (of_a + of_b <= 0) {
    difference.ci95 = {difference.delta, difference.delta};
    difference.p_value = difference.delta == 0 ? 1 : 0;
    return difference;
  }
  // A side of one run has no degrees of its own: those of the side that it borrowed from.
  const double free_a = a.runs < 2 ? std::max(1.0, b.runs - 1) : a.runs - 1;
  const double free_b = b.runs < 2 ? std::max(1.0, a.runs - 1) : b.runs - 1;
  const double degrees = (of_a + of_b) * (of_a + of_b) / (of_a * of_a / free_a + of_b * of_b / free_b);
  const double error = std::sqrt(of_a + of_b);
  const double half = student_two_sided_quantile(0.05, degrees) * error;
  difference.ci95 = {difference.delta - half, difference.delta + half};
  difference.p_value = student_two_sided_p(difference.delta / error, degrees);
  return difference;
}

Difference difference_of_counts(const WeightedCount& base, const WeightedCount& fresh) {
  const Interval low = count_interval(base);
  const Interval high = count_interval(fresh);
  Difference difference{.delta = fresh.value - base.value};
  difference.ci95 = {difference.delta - std::hypot(fresh.value - high.low, low.high - base.value),
                     difference.delta + std::hypot(high.high - fresh.value, base.value - low.low)};
  if (base.unit <= 0 || fresh.unit <= 0) return difference;
  const double pooled = (base.value / base.unit + fresh.value / fresh.unit) / (1 / base.unit + 1 / fresh.unit);
  const double variance = pooled * (base.unit + fresh.unit);
  if (variance > 0) difference.p_value = std::erfc(std::abs(difference.delta) / std::sqrt(2 * variance));
  return difference;
}

}  // namespace atys::reduce
