// SPDX-License-Identifier: Apache-2.0
#include "reduce/distributions.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <limits>

namespace atys::reduce {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr int kHalvings = 200;

// The continued fraction of the incomplete beta function, by Lentz's method.
double beta_fraction(double a, double b, double x) {
  constexpr double kTiny = 1e-300;
  constexpr double kEpsilon = 1e-15;
  double c = 1;
  double d = 1 - (a + b) * x / (a + 1);
  d = 1 / (std::abs(d) < kTiny ? kTiny : d);
  double result = d;
  for (int m = 1; m <= 300; ++m) {
    const double two_m = 2.0 * m;
    for (const double term :
         {m * (b - m) * x / ((a + two_m - 1) * (a + two_m)), -(a + m) * (a + b + m) * x / ((a + two_m) * (a + two_m + 1))}) {
      d = 1 + term * d;
      c = 1 + term / c;
      d = 1 / (std::abs(d) < kTiny ? kTiny : d);
      if (std::abs(c) < kTiny) c = kTiny;
      result *= d * c;
    }
    if (std::abs(d * c - 1) < kEpsilon) break;
  }
  return result;
}

double log_gamma(double x) {
  int sign = 0;
  return ::lgamma_r(x, &sign);  // std::lgamma writes a global
}

double incomplete_beta(double a, double b, double x) {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  const double front = std::exp(log_gamma(a + b) - log_gamma(a) - log_gamma(b) + a * std::log(x) + b * std::log1p(-x));
  if (x < (a + 1) / (a + b + 2)) return front * beta_fraction(a, b, x) / a;
  return 1 - front * beta_fraction(b, a, 1 - x) / b;
}

// The regularised upper incomplete gamma function: a series below a + 1, Lentz's continued fraction above.
double incomplete_gamma_above(double a, double x) {
  constexpr double kTiny = 1e-300;
  constexpr double kEpsilon = 1e-15;
  constexpr int kMost = 10000;
  if (x <= 0) return 1;
  const double front = std::exp(a * std::log(x) - x - log_gamma(a));
  if (x < a + 1) {
    double part = 1 / a;
    double sum = part;
    for (int n = 1; n < kMost && part > sum * kEpsilon; ++n) sum += part *= x / (a + n);
    return std::clamp(1 - front * sum, 0.0, 1.0);
  }
  double b = x + 1 - a;
  double c = 1 / kTiny;
  double d = 1 / b;
  double result = d;
  for (int n = 1; n < kMost; ++n) {
    const double factor = -n * (n - a);
    b += 2;
    d = factor * d + b;
    d = 1 / (std::abs(d) < kTiny ? kTiny : d);
    c = b + factor / c;
    if (std::abs(c) < kTiny) c = kTiny;
    result *= d * c;
    if (std::abs(d * c - 1) < kEpsilon) break;
  }
  return std::clamp(front * result, 0.0, 1.0);
}

// Where a falling function of z ≥ 0 passes `target`.
template <typename Falling>
double solve(double high, double target, const Falling& function) {
  double low = 0;
  while (function(high) > target && high < 1e12) high *= 2;
  for (int i = 0; i < kHalvings && low < high; ++i) {
    const double middle = (low + high) / 2;
    if (middle == low || middle == high) break;
    (function(middle) > target ? low : high) = middle;
  }
  return (low + high) / 2;
}

}  // namespace

double normal_cdf(double z) { return std::erfc(-z / std::sqrt(2.0)) / 2; }

double normal_quantile(double probability) {
  if (probability <= 0) return -kInfinity;
  if (probability >= 1) return kInfinity;
  const double tail = std::min(probability, 1 - probability);
  const double z = solve(40, tail, [](double at) { return normal_cdf(-at); });
  return probability < 0.5 ? -z : z;
}

double student_two_sided_p(double t, double degrees) {
  if (std::isinf(t)) return 0;
  return incomplete_beta(degrees / 2, 0.5, degrees / (degrees + t * t));
}

double student_two_sided_quantile(double p, double degrees) {
  if (p <= 0) return kInfinity;
  if (p >= 1) return 0;
  return solve(40, p, [&](double t) { return student_two_sided_p(t, degrees); });
}

double chi_squared_p(double x, double degrees) { return incomplete_gamma_above(degrees / 2, x / 2); }

}  // namespace atys::reduce
