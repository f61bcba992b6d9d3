// SPDX-License-Identifier: Apache-2.0
#include "reduce/sequential.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "reduce/distributions.h"

namespace atys::reduce {

namespace {

constexpr size_t kLooks[] = {7, 12, 20, 30, 45, 70, 100, 150, 225, 340, 500, 750, 1000};
constexpr size_t kGrid = 401;  // odd, for Simpson's rule
constexpr int kHalvings = 60;

double density(double z) { return std::exp(-z * z / 2) / std::sqrt(2 * std::numbers::pi); }

}  // namespace

std::vector<size_t> looks_up_to(size_t most_pairs) {
  std::vector<size_t> looks;
  for (const size_t look : kLooks)
    if (look < most_pairs) looks.push_back(look);
  looks.push_back(most_pairs);
  return looks;
}

SpendingPlan::SpendingPlan(size_t most_pairs, double alpha)
    : most_pairs_(static_cast<double>(most_pairs)), alpha_(alpha), places_{0}, weights_{1} {}

double SpendingPlan::next_level(size_t pairs, bool is_last) {
  const double time = is_last ? 1 : std::min(1.0, static_cast<double>(pairs) / most_pairs_);
  const double may_spend = alpha_ * std::log(1 + (std::numbers::e - 1) * time);
  const double now = std::max(may_spend - spent_, 1e-12);
  const double step = std::sqrt(static_cast<double>(pairs) - seen_);
  const auto crosses = [&](double bound) {
    double sum = 0;
    for (size_t i = 0; i < places_.size(); ++i)
      sum += weights_[i] * (normal_cdf((places_[i] - bound) / step) + normal_cdf((-places_[i] - bound) / step));
    return sum;
  };
  const double root = std::sqrt(static_cast<double>(pairs));
  double low = 0;
  double high = 10 * root;
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = (low + high) / 2;
    (crosses(middle) > now ? low : high) = middle;
  }
  keep_inside(high, step);
  spent_ = std::max(spent_, may_spend);
  seen_ = static_cast<double>(pairs);
  return 2 * normal_cdf(-high / root);
}

void SpendingPlan::keep_inside(double bound, double step) {
  std::vector<double> places(kGrid);
  std::vector<double> weights(kGrid);
  const double width = 2 * bound / (kGrid - 1);
  for (size_t i = 0; i < kGrid; ++i) {
    places[i] = -bound + width * static_cast<double>(i);
    const double simpson = i == 0 || i == kGrid - 1 ? 1 : i % 2 == 1 ? 4 : 2;
    double here = 0;
    for (size_t j = 0; j < places_.size(); ++j) here += weights_[j] * density((places[i] - places_[j]) / step) / step;
    weights[i] = here * simpson * width / 3;
  }
  places_ = std::move(places);
  weights_ = std::move(weights);
}

}  // namespace atys::reduce
