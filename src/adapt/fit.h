// SPDX-License-Identifier: Apache-2.0
// Curves through what a pre-profiling measured: what pruning saves and what it costs, as functions of how much is kept.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/result.h"

namespace atys::adapt {

struct Point {
  double x = 0;
  double y = 0;
};

// y = a + b·g(x), with g one of the shapes that the paper uses.
struct Curve {
  enum class Shape { Linear, Logarithmic, Power };
  Shape shape = Shape::Linear;
  double a = 0;
  double b = 0;
  double c = 0;      // of the shape: see at()
  double error = 0;  // mean absolute error of the points, in units of y

  double at(double x) const;
  std::string formula() const;  // "114.4 - 1.061·p"
};

// The shape that leaves the least error when each point is foretold from the others. Fails with fewer than four points.
Result<Curve> fit(std::span<const Point> points);

// The smallest share to keep, in per cent from `low` to 100, with which the error stays within `most`: T is smallest there,
// since both rise and fall together. 100 if only keeping everything will do.
double least_kept(const Curve& error_of_kept, double most, double low = 50);

// The divergence that tells changes from everyday variation: the middle of the widest gap in the upper half of a series.
// Where there is no gap nothing has changed, and it is twice the largest value.
double propose_threshold(std::span<const double> divergences);

}  // namespace atys::adapt
