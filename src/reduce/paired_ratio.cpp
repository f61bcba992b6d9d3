// SPDX-License-Identifier: Apache-2.0
#include "reduce/paired_ratio.h"

#include <algorithm>
#include <cmath>

#include "reduce/distributions.h"
#include "reduce/random.h"

namespace atys::reduce {

namespace {

constexpr size_t kResamples = 4999;
constexpr size_t kComparisons = 1999;
constexpr size_t kLargestExact = 100;

// Reorders `values`.
double median_in_place(std::vector<double>& values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

std::vector<double> without_zeros(std::span<const double> values) {
  std::vector<double> kept;
  std::ranges::copy_if(values, std::back_inserter(kept), [](double value) { return value != 0; });
  return kept;
}

// P(at most k of n fair coins show heads)
double coin_tail(size_t k, size_t n) {
  double term = std::exp2(-static_cast<double>(n));
  double sum = 0;
  for (size_t i = 0; i <= k; ++i) {
    sum += term;
    term *= static_cast<double>(n - i) / static_cast<double>(i + 1);
  }
  return sum;
}

// The narrowest pair of order statistics that holds the median with at least that confidence.
Interval order_interval(const std::vector<double>& sorted, double level) {
  size_t below = 0;
  while (below + 1 < (sorted.size() + 1) / 2 && 2 * coin_tail(below, sorted.size()) <= level) ++below;
  if (below > 0) --below;
  return {sorted[below], sorted[sorted.size() - 1 - below]};
}

std::vector<double> resampled_medians(std::span<const double> values, uint64_t seed) {
  Random random(seed);
  std::vector<double> medians(kResamples);
  std::vector<double> drawn(values.size());
  for (double& result : medians) {
    for (double& value : drawn) value = values[random.below(values.size())];
    result = median_in_place(drawn);
  }
  std::ranges::sort(medians);
  return medians;
}

double acceleration(const std::vector<double>& sorted) {
  std::vector<double> without;
  double mean = 0;
  for (size_t i = 0; i < sorted.size(); ++i) {
    std::vector<double> rest = sorted;
    rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(i));
    without.push_back(median_in_place(rest));
    mean += without.back() / static_cast<double>(sorted.size());
  }
  double squares = 0;
  double cubes = 0;
  for (const double value : without) {
    squares += (mean - value) * (mean - value);
    cubes += (mean - value) * (mean - value) * (mean - value);
  }
  return squares == 0 ? 0 : cubes / (6 * std::pow(squares, 1.5));
}

double quantile_of(const std::vector<double>& sorted, double probability) {
  const double place = probability * static_cast<double>(sorted.size() + 1) - 1;
  return sorted[static_cast<size_t>(std::clamp(std::round(place), 0.0, static_cast<double>(sorted.size() - 1)))];
}

Interval bca_interval(const std::vector<double>& sorted, double level, uint64_t seed) {
  const std::vector<double> medians = resampled_medians(sorted, seed);
  const double middle = median(sorted);
  const auto [first, last] = std::ranges::equal_range(medians, middle);
  const double below = static_cast<double>(first - medians.begin()) + static_cast<double>(last - first) / 2;
  const double share = std::clamp(below / static_cast<double>(medians.size()), 0.001, 0.999);
  const double bias = normal_quantile(share);
  const double a = acceleration(sorted);
  const auto corrected = [&](double probability) {
    const double z = bias + normal_quantile(probability);
    return normal_cdf(bias + z / (1 - a * z));
  };
  return {quantile_of(medians, corrected(level / 2)), quantile_of(medians, corrected(1 - level / 2))};
}

// Twice the rank of each value by size, so that ranks shared by ties are whole numbers.
std::vector<size_t> double_ranks(std::vector<double> values) {
  std::ranges::sort(values, [](double a, double b) { return std::abs(a) < std::abs(b); });
  std::vector<size_t> ranks(values.size());
  for (size_t i = 0; i < values.size();) {
    size_t end = i;
    while (end < values.size() && std::abs(values[end]) == std::abs(values[i])) ++end;
    for (size_t j = i; j < end; ++j) ranks[j] = i + end + 1;
    i = end;
  }
  return ranks;
}

double sum_of_positive_ranks(std::vector<double> values, const std::vector<size_t>& ranks) {
  std::ranges::sort(values, [](double a, double b) { return std::abs(a) < std::abs(b); });
  double sum = 0;
  for (size_t i = 0; i < values.size(); ++i)
    if (values[i] > 0) sum += static_cast<double>(ranks[i]);
  return sum;
}

double exact_tail(const std::vector<size_t>& ranks, double smaller) {
  size_t total = 0;
  for (const size_t rank : ranks) total += rank;
  std::vector<double> ways(total + 1);
  ways[0] = 1;
  for (const size_t rank : ranks) {
    for (size_t sum = total + 1; sum-- > 0;) ways[sum] = (ways[sum] + (sum >= rank ? ways[sum - rank] : 0)) / 2;
  }
  double tail = 0;
  for (size_t sum = 0; sum <= static_cast<size_t>(smaller); ++sum) tail += ways[sum];
  return tail;
}

}  // namespace

std::vector<double> log_ratios(std::span<const double> a, std::span<const double> b) {
  std::vector<double> ratios;
  for (size_t i = 0; i < std::min(a.size(), b.size()); ++i)
    if (a[i] > 0 && b[i] > 0) ratios.push_back(std::log(b[i] / a[i]));
  return ratios;
}

double median(std::vector<double> values) { return median_in_place(values); }

Interval median_interval(std::span<const double> values, double level, uint64_t seed) {
  if (values.empty()) return {-HUGE_VAL, HUGE_VAL};
  std::vector<double> sorted(values.begin(), values.end());
  std::ranges::sort(sorted);
  if (2 * coin_tail(0, sorted.size()) > level) return {-HUGE_VAL, HUGE_VAL};  // so few say nothing at that level
  const Interval exact = order_interval(sorted, level);
  const Interval bootstrap = bca_interval(sorted, level, seed);
  return {std::min(exact.low, bootstrap.low), std::max(exact.high, bootstrap.high)};
}

double sign_test(std::span<const double> values) {
  const std::vector<double> kept = without_zeros(values);
  const auto above = static_cast<size_t>(std::ranges::count_if(kept, [](double value) { return value > 0; }));
  return std::min(1.0, 2 * coin_tail(std::min(above, kept.size() - above), kept.size()));
}

double signed_rank_test(std::span<const double> values) {
  const std::vector<double> kept = without_zeros(values);
  if (kept.empty()) return 1;
  const std::vector<size_t> ranks = double_ranks(kept);
  const double above = sum_of_positive_ranks(kept, ranks);
  double total = 0;
  double squares = 0;
  for (const size_t rank : ranks) {
    total += static_cast<double>(rank);
    squares += static_cast<double>(rank) * static_cast<double>(rank);
  }
  const double smaller = std::min(above, total - above);
  if (kept.size() <= kLargestExact) return std::min(1.0, 2 * exact_tail(ranks, smaller));
  const double z = (total / 2 - smaller - 1) / std::sqrt(squares / 4);
  return std::min(1.0, 2 * normal_cdf(-std::max(0.0, z)));
}

double noise_floor(std::span<const double> runs, size_t pairs, uint64_t seed) {
  std::vector<double> differences;
  for (size_t i = 0; i + 1 < runs.size(); ++i)
    if (runs[i] > 0 && runs[i + 1] > 0) differences.push_back(std::log(runs[i + 1] / runs[i]));
  if (differences.empty() || pairs == 0) return 0;
  Random random(seed);
  std::vector<double> medians(kComparisons);
  std::vector<double> drawn(pairs);
  for (double& result : medians) {
    for (double& value : drawn) {
      const double difference = differences[random.below(differences.size())];
      value = random.coin() ? difference : -difference;
    }
    result = std::abs(median_in_place(drawn));
  }
  std::ranges::sort(medians);
  return quantile_of(medians, 0.95);
}

}  // namespace atys::reduce
