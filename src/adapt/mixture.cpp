// SPDX-License-Identifier: Apache-2.0
#include "adapt/mixture.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "reduce/distributions.h"

namespace atys::adapt {

namespace {

constexpr double kLeastShare = 1e-4;  // what neither side has seen may happen all the same
constexpr double kDoubt = 0.001;
constexpr double kLeastExpected = 3;
constexpr int kSteps = 5;  // the variances depend on the part a little

struct Cell {
  double before = 0;
  double after = 0;
  double seen = 0;  // samples
};

// One for each function that the window was seen in or that either side has much of; the rest is one.
std::vector<Cell> cells_of(const Shares& before, const Shares& window, const Shares& after) {
  std::vector<Cell> cells;
  Cell rest{1, 1, window.total};
  Shares names = before;
  add(names, after);
  for (const auto& [function, samples] : names.samples) {
    const auto found = window.samples.find(function);
    const Cell cell{before.share(function), after.share(function), found == window.samples.end() ? 0 : found->second};
    if (std::max(cell.before, cell.after) * window.total < kLeastExpected) continue;
    rest = {rest.before - cell.before, rest.after - cell.after, rest.seen - cell.seen};
    cells.push_back(cell);
  }
  cells.push_back(rest);
  for (Cell& cell : cells)
    cell = {std::max(kLeastShare, cell.before), std::max(kLeastShare, cell.after), std::max(0.0, cell.seen)};
  return cells;
}

// How the number of samples in one function, or in what it called, tells both sides apart.
struct Sign {
  double before = 0;
  double after = 0;
  double seen = 0;  // all three are shares
};

double share_of(const std::map<std::string, double>& samples, const std::string& function, double total) {
  const auto found = samples.find(function);
  return found == samples.end() ? 0 : found->second / total;
}

// What runs tells little where both sides do different things with the same libraries; who called it tells it.
std::vector<Sign> signs_of(const Shares& before, const Shares& window, const Shares& after) {
  std::vector<Sign> signs;
  Shares names = before;
  add(names, after);
  const auto collect = [&](const std::map<std::string, double> Shares::*of) {
    for (const auto& [function, samples] : names.*of)
      signs.push_back({share_of(before.*of, function, before.total), share_of(after.*of, function, after.total),
                       share_of(window.*of, function, window.total)});
  };
  collect(&Shares::samples);
  collect(&Shares::within);
  return signs;
}

// Least squares, each sign by how well it can be known. Signs that say the same do not make it surer: the error is that of
// the best of them alone.
void fit_part(const std::vector<Sign>& signs, double samples, Mixture& mixture) {
  for (int step = 0; step < kSteps; ++step) {
    double product = 0;
    double squares = 0;
    double best = 0;
    for (const Sign& sign : signs) {
      const double apart = sign.before - sign.after;
      const double expected = sign.after + mixture.before * apart;
      const double variance = (expected * (1 - expected) + 1 / samples) / samples;
      product += apart * (sign.seen - sign.after) / variance;
      squares += apart * apart / variance;
      best = std::max(best, apart * apart / variance);
    }
    if (squares <= 0) return;
    mixture = {.before = std::clamp(product / squares, 0.0, 1.0), .error = std::min(1.0, 1 / std::sqrt(best))};
  }
}

// `given`: how many of the cells are not free, for what was fitted to them.
bool fits(const std::vector<Cell>& cells, double samples, double part_before, size_t given) {
  double chi_squared = 0;
  for (const Cell& cell : cells) {
    const double expected = samples * (part_before * cell.before + (1 - part_before) * cell.after);
    if (expected > 0) chi_squared += (cell.seen - expected) * (cell.seen - expected) / std::max(1.0, expected);
  }
  return cells.size() <= given || reduce::chi_squared_p(chi_squared, static_cast<double>(cells.size() - given)) > kDoubt;
}

}  // namespace

bool is_like(const Shares& known, const Shares& window) {
  return known.total > 0 && window.total > 0 && fits(cells_of(known, window, known), window.total, 1, 1);
}

Mixture fit_mixture(const Shares& before, const Shares& window, const Shares& after) {
  if (before.total <= 0 || after.total <= 0 || window.total <= 0) return {};
  Mixture mixture{.before = 0.5};
  fit_part(signs_of(before, window, after), window.total, mixture);
  mixture.fits = fits(cells_of(before, window, after), window.total, mixture.before, 2);
  return mixture;
}

}  // namespace atys::adapt
