// SPDX-License-Identifier: Apache-2.0
#include "adapt/divergence.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>
#include <utility>
#include <vector>

#include "reduce/distributions.h"

namespace atys::adapt {

namespace {

constexpr double kLeastExpected = 5;  // below, a cell's part of chi squared is not what the distribution says

using Cells = std::vector<std::pair<double, double>>;

double term(double p, double m) { return p <= 0 ? 0 : p * std::log2(p / m); }

double jensen_shannon(const Cells& cells, double a_total, double b_total) {
  double sum = 0;
  for (const auto& [a, b] : cells) {
    const double p = a / a_total;
    const double q = b / b_total;
    const double middle = (p + q) / 2;
    if (middle > 0) sum += (term(p, middle) + term(q, middle)) / 2;
  }
  return std::clamp(sum, 0.0, 1.0);
}

std::vector<std::string> largest(const Shares& shares, size_t most) {
  std::vector<std::pair<double, std::string>> order;
  for (const auto& [function, samples] : shares.samples) order.emplace_back(samples, function);
  std::sort(order.begin(), order.end(), std::greater<>());
  std::vector<std::string> names;
  for (size_t i = 0; i < std::min(most, order.size()); ++i) names.push_back(std::move(order[i].second));
  return names;
}

double samples_in(const Shares& shares, const std::string& function) {
  const auto found = shares.samples.find(function);
  return found == shares.samples.end() ? 0 : found->second;
}

// A cell per function that is large on either side, and one for all others. By shares: what is new and hot must not drown in
// what a long stretch has seen.
Cells cells_of(const Shares& a, const Shares& b, size_t top) {
  Shares by_share;
  for (const auto& [function, samples] : a.samples) by_share.samples[function] += samples / a.total;
  for (const auto& [function, samples] : b.samples) by_share.samples[function] += samples / b.total;
  const double smaller_part = std::min(a.total, b.total) / (a.total + b.total);
  Cells cells;
  double a_rest = a.total;
  double b_rest = b.total;
  for (const std::string& function : largest(by_share, top)) {
    const double in_a = samples_in(a, function);
    const double in_b = samples_in(b, function);
    if ((in_a + in_b) * smaller_part < kLeastExpected) continue;
    cells.emplace_back(in_a, in_b);
    a_rest -= in_a;
    b_rest -= in_b;
  }
  cells.emplace_back(std::max(0.0, a_rest), std::max(0.0, b_rest));
  return cells;
}

// For small differences the divergence is Σ (p − q)² ÷ m ÷ (8 ln 2), and the variance of p − q is m (1 ÷ n₁ + 1 ÷ n₂).
double noise_of(double degrees, double a_total, double b_total) {
  return degrees * (1 / a_total + 1 / b_total) / (8 * std::log(2.0));
}

double chi_squared_of(const Cells& cells, double a_total, double b_total) {
  double sum = 0;
  for (const auto& [in_a, in_b] : cells) {
    if (in_a + in_b <= 0) continue;
    const double apart = std::sqrt(b_total / a_total) * in_a - std::sqrt(a_total / b_total) * in_b;
    sum += apart * apart / (in_a + in_b);
  }
  return sum;
}

struct Within {
  double least = 0;  // samples
  double most = 0;
};

Within within(const Shares& shares, const std::string& function) {
  const auto found = shares.within.find(function);
  const double least = found == shares.within.end() ? 0 : found->second;
  return {std::min(least, shares.total), std::min(least + shares.within_floor, shares.total)};
}

// In it, or not. Where it is not known how many were in it, as like on both sides as they may be.
Cells cells_within(const Shares& a, const Shares& b, const std::string& function) {
  const Within of_a = within(a, function);
  const Within of_b = within(b, function);
  double in_a = of_a.least;
  double in_b = of_b.least;
  if (of_a.least / a.total < of_b.least / b.total)
    in_a = std::min(of_a.most, of_b.least / b.total * a.total);
  else
    in_b = std::min(of_b.most, of_a.least / a.total * b.total);
  return {{in_a, in_b}, {a.total - in_a, b.total - in_b}};
}

void compare_within(const Shares& a, const Shares& b, Divergence& result) {
  std::set<std::string> names;
  for (const auto& [function, samples] : a.within) names.insert(function);
  for (const auto& [function, samples] : b.within) names.insert(function);
  const double smaller_part = std::min(a.total, b.total) / (a.total + b.total);
  size_t looked_at = 0;
  double least = 1;
  for (const std::string& function : names) {
    const Cells cells = cells_within(a, b, function);
    const auto both = [](const std::pair<double, double>& cell) { return cell.first + cell.second; };
    if (std::min(both(cells[0]), both(cells[1])) * smaller_part < kLeastExpected) continue;
    ++looked_at;
    const double p = reduce::chi_squared_p(chi_squared_of(cells, a.total, b.total), 1);
    if (p >= least) continue;
    least = p;
    result.within_excess = std::max(0.0, jensen_shannon(cells, a.total, b.total) - noise_of(1, a.total, b.total));
  }
  result.within_p = std::min(1.0, least * static_cast<double>(std::max<size_t>(looked_at, 1)));
}

}  // namespace

double Divergence::excess() const {
  const double of_itself = js > noise ? js - noise : 0;
  return within_p < 1 ? std::max(of_itself, within_excess) : of_itself;
}

double Divergence::p_value() const {
  const double of_itself = degrees <= 0 ? 1 : reduce::chi_squared_p(chi_squared, degrees);
  return within_p < 1 ? std::min(1.0, 2 * std::min(of_itself, within_p)) : of_itself;  // two looks at one thing
}

Divergence compare(const Shares& a, const Shares& b, size_t top) {
  Divergence result;
  if (a.total <= 0 || b.total <= 0) return result;
  const Cells cells = cells_of(a, b, top);
  compare_within(a, b, result);
  const auto used = std::ranges::count_if(cells, [](const auto& cell) { return cell.first + cell.second > 0; });
  if (used < 2) return result;
  result.chi_squared = chi_squared_of(cells, a.total, b.total);
  result.degrees = static_cast<double>(used - 1);
  result.js = jensen_shannon(cells, a.total, b.total);
  result.noise = noise_of(result.degrees, a.total, b.total);
  return result;
}

double plain_divergence(const Shares& a, const Shares& b, size_t top) {
  const std::vector<std::string> a_top = largest(a, top);
  const std::vector<std::string> b_top = largest(b, top);
  std::set<std::string> names(a_top.begin(), a_top.end());
  names.insert(b_top.begin(), b_top.end());
  Cells cells;
  double a_total = 0;
  double b_total = 0;
  for (const std::string& name : names) {
    cells.emplace_back(samples_in(a, name), samples_in(b, name));
    a_total += cells.back().first;
    b_total += cells.back().second;
  }
  if (a_total <= 0 || b_total <= 0) return a_total == b_total ? 0 : 1;
  return jensen_shannon(cells, a_total, b_total);
}

}  // namespace atys::adapt
