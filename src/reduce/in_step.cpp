// SPDX-License-Identifier: Apache-2.0
#include "reduce/in_step.h"

#include <algorithm>
#include <cmath>

namespace atys::reduce {

namespace {

constexpr double kFar = 3;           // standard errors
constexpr size_t kFewestInStep = 2;  // one row alone is in step with itself
constexpr size_t kMostThatLeave = 64;

// What the rows still there come to in each run, and of how many samples.
std::vector<RunTotal> sums(std::span<const RowValues> rows, std::span<const double> RowValues::*side,
                           const std::vector<bool>& is_there, std::span<const RunTotal> runs) {
  std::vector<RunTotal> result(runs.size());
  for (size_t row = 0; row < rows.size(); ++row)
    for (size_t run = 0; is_there[row] && run < runs.size(); ++run) result[run].value += (rows[row].*side)[run];
  for (size_t run = 0; run < runs.size(); ++run)
    if (runs[run].value > 0) result[run].samples = runs[run].samples * result[run].value / runs[run].value;
  return result;
}

// Mean share of the sum, and the variance of that mean: between runs, and at least that of sampling.
struct Estimate {
  double mean = 0;
  double variance = 0;
};

Estimate estimate(std::span<const double> values, std::span<const RunTotal> sum) {
  Estimate result;
  const auto runs = static_cast<double>(values.size());
  const auto share = [&](size_t i) { return sum[i].value > 0 ? values[i] / sum[i].value : 0; };
  for (size_t i = 0; i < values.size(); ++i) result.mean += share(i) / runs;
  double between = 0;
  double sampling = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    between += (share(i) - result.mean) * (share(i) - result.mean) / std::max(1.0, runs - 1);
    if (sum[i].samples > 0) sampling += std::max(0.0, result.mean * (1 - result.mean)) / sum[i].samples / runs;
  }
  result.variance = std::max(between, sampling) / runs;
  return result;
}

double distance(const RowValues& row, std::span<const RunTotal> base, std::span<const RunTotal> fresh) {
  const Estimate a = estimate(row.base, base);
  const Estimate b = estimate(row.fresh, fresh);
  const double variance = a.variance + b.variance;
  return variance > 0 ? std::abs(b.mean - a.mean) / std::sqrt(variance) : a.mean == b.mean ? 0 : kFar + 1;
}

}  // namespace

std::vector<bool> rows_in_step(std::span<const RowValues> rows, std::span<const RunTotal> base,
                               std::span<const RunTotal> fresh) {
  std::vector<bool> is_there(rows.size(), true);
  size_t left = 0;
  while (left <= kMostThatLeave) {
    const std::vector<RunTotal> base_sum = sums(rows, &RowValues::base, is_there, base);
    const std::vector<RunTotal> fresh_sum = sums(rows, &RowValues::fresh, is_there, fresh);
    size_t furthest = rows.size();
    double how_far = kFar;
    for (size_t row = 0; row < rows.size(); ++row) {
      if (!is_there[row]) continue;
      const double far = distance(rows[row], base_sum, fresh_sum);
      if (far <= how_far) continue;
      how_far = far;
      furthest = row;
    }
    if (furthest == rows.size()) break;
    is_there[furthest] = false;
    ++left;
  }
  const size_t stayed = rows.size() - left;
  if (stayed < kFewestInStep || stayed <= left || left > kMostThatLeave) return std::vector<bool>(rows.size(), false);
  return is_there;
}

}  // namespace atys::reduce
