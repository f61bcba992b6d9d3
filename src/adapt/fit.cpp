// SPDX-License-Identifier: Apache-2.0
#include "adapt/fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace atys::adapt {

namespace {

constexpr double kFloor = 1e-6;  // of a divergence: logarithms need one

double shape_at(Curve::Shape shape, double c, double x) {
  switch (shape) {
    case Curve::Shape::Linear: return x;
    case Curve::Shape::Logarithmic: return std::log(std::max(kFloor, 1 + c * (100 - x)));
    case Curve::Shape::Power: return std::pow(std::max(0.0, 100 - x) / 100, c);
  }
  return x;
}

Curve least_squares(std::span<const Point> points, Curve::Shape shape, double c) {
  const auto n = static_cast<double>(points.size());
  double mean_g = 0;
  double mean_y = 0;
  for (const Point& point : points) mean_g += shape_at(shape, c, point.x) / n, mean_y += point.y / n;
  double covariance = 0;
  double variance = 0;
  for (const Point& point : points) {
    const double g = shape_at(shape, c, point.x) - mean_g;
    covariance += g * (point.y - mean_y);
    variance += g * g;
  }
  Curve curve{.shape = shape, .c = c};
  curve.b = variance > 0 ? covariance / variance : 0;
  curve.a = mean_y - curve.b * mean_g;
  return curve;
}

// Each point foretold from the others.
double error_when_left_out(std::span<const Point> points, Curve::Shape shape, double c) {
  double sum = 0;
  std::vector<Point> others;
  for (size_t left_out = 0; left_out < points.size(); ++left_out) {
    others.assign(points.begin(), points.end());
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(left_out));
    sum += std::abs(least_squares(others, shape, c).at(points[left_out].x) - points[left_out].y);
  }
  return sum / static_cast<double>(points.size());
}

std::vector<std::pair<Curve::Shape, double>> candidates() {
  std::vector<std::pair<Curve::Shape, double>> all{{Curve::Shape::Linear, 0}};
  for (double c = 0.001; c < 100; c *= 2) all.emplace_back(Curve::Shape::Logarithmic, c);
  for (double c = 0.125; c <= 4; c *= 1.4142135) all.emplace_back(Curve::Shape::Power, c);
  return all;
}

}  // namespace

double Curve::at(double x) const { return a + b * shape_at(shape, c, x); }

std::string Curve::formula() const {
  const char sign = b < 0 ? '-' : '+';
  switch (shape) {
    case Shape::Linear: return fmt::format("{:.4g} {} {:.4g}·p", a, sign, std::abs(b));
    case Shape::Logarithmic: return fmt::format("{:.4g} {} {:.4g}·ln(1 + {:.4g}·(100 - p))", a, sign, std::abs(b), c);
    case Shape::Power: return fmt::format("{:.4g} {} {:.4g}·(1 - p/100)^{:.3g}", a, sign, std::abs(b), c);
  }
  return {};
}

Result<Curve> fit(std::span<const Point> points) {
  if (points.size() < 4)
    return fail(ErrorCode::InvalidInput, fmt::format("cannot fit a curve: {} points, four are needed", points.size()),
                "profile at more settings");
  Curve best;
  double least = std::numeric_limits<double>::infinity();
  for (const auto& [shape, c] : candidates()) {
    const double error = error_when_left_out(points, shape, c);
    if (error >= least) continue;
    least = error;
    best = least_squares(points, shape, c);
  }
  best.error = least;
  return best;
}

double least_kept(const Curve& error_of_kept, double most, double low) {
  constexpr double kStep = 0.1;
  for (double kept = low; kept < 100; kept += kStep)
    if (error_of_kept.at(kept) <= most) return kept;
  return 100;
}

double propose_threshold(std::span<const double> divergences) {
  std::vector<double> logs;
  for (const double divergence : divergences) logs.push_back(std::log(std::max(kFloor, divergence)));
  if (logs.empty()) return 0.01;
  std::sort(logs.begin(), logs.end());
  const auto n = static_cast<double>(logs.size());
  double all = 0;
  for (const double value : logs) all += value;
  double low_sum = 0;
  double best = 0;
  double border = logs.back() + std::log(2.0);
  double spread = 0;
  for (const double value : logs) spread += (value - all / n) * (value - all / n);
  for (size_t i = 0; i + 1 < logs.size(); ++i) {
    low_sum += logs[i];
    const auto low = static_cast<double>(i + 1);
    const double apart = low_sum / low - (all - low_sum) / (n - low);
    const double between = low * (n - low) / n * apart * apart;
    // Two groups only where they explain nearly all of the spread; one cut in two explains about two thirds.
    if (between > best && between > 0.8 * spread) best = between, border = (logs[i] + logs[i + 1]) / 2;
  }
  return std::clamp(std::exp(border), 1e-4, 1.0);
}

}  // namespace atys::adapt
