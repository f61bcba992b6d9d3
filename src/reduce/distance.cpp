// SPDX-License-Identifier: Apache-2.0
#include "reduce/distance.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

namespace atys::reduce {

namespace {

using Distribution = std::map<std::tuple<std::string_view, std::string_view, int64_t>, std::pair<double, double>>;

double positive_self(const Top& top) {
  double sum = 0;
  for (const TopRow& row : top.rows) sum += std::max(0.0, row.self);
  return sum;
}

// p·log2(p ÷ m), with 0·log 0 = 0.
double term(double p, double m) { return p <= 0 ? 0 : p * std::log2(p / m); }

}  // namespace

double distance(const Top& a, const Top& b) {
  const double a_sum = positive_self(a);
  const double b_sum = positive_self(b);
  if (a_sum == 0 || b_sum == 0) return a_sum == b_sum ? 0 : 1;
  Distribution shares;
  const bool lines_matter = is_by_line(a) || is_by_line(b);
  const auto share_of = [&](const Entity& entity) -> std::pair<double, double>& {
    return shares[{entity.name, entity.file, lines_matter ? entity.line : 0}];
  };
  for (const TopRow& row : a.rows) share_of(row.entity).first += std::max(0.0, row.self) / a_sum;
  for (const TopRow& row : b.rows) share_of(row.entity).second += std::max(0.0, row.self) / b_sum;
  double divergence = 0;
  for (const auto& [key, pair] : shares) {
    const double middle = (pair.first + pair.second) / 2;
    divergence += (term(pair.first, middle) + term(pair.second, middle)) / 2;
  }
  return std::clamp(divergence, 0.0, 1.0);
}

}  // namespace atys::reduce
