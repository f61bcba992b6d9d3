// SPDX-License-Identifier: Apache-2.0
#include "adapt/fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace atys::adapt {

namespace {

constexpr double kFloor = 1e-6;     // of what a logarithm is taken of
constexpr double kSmallest = 1e-3;  // divergence, in bits: below, nobody would call it a change

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
  std::vector<double> series;
  for (const double divergence : divergences) series.push_back(std::max(kSmallest, divergence));
  if (series.empty()) return kSmallest * 10;
  std::sort(series.begin(), series.end());
  double widest = 2;  // times as large as the one before: less is no gap
  double threshold = 2 * series.back();
  for (size_t i = series.size() / 2; i + 1 < series.size(); ++i) {
    if (series[i + 1] / series[i] < widest) continue;
    widest = series[i + 1] / series[i];
    threshold = std::sqrt(series[i] * series[i + 1]);
  }
  return std::min(threshold, 1.0);
}

}  // namespace atys::adapt
