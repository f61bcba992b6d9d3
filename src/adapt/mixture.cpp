// SPDX-License-Identifier: Apache-2.0
#include "adapt/mixture.h"

#include <algorithm>
#include <vector>

#include "reduce/distributions.h"

namespace atys::adapt {

namespace {

constexpr double kLeastShare = 1e-4;  // what neither side has seen may happen all the same
constexpr double kDoubt = 0.001;
constexpr double kLeastExpected = 3;
constexpr int kSteps = 100;

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

}  // namespace

Mixture fit_mixture(const Shares& before, const Shares& window, const Shares& after) {
  if (before.total <= 0 || after.total <= 0 || window.total <= 0) return {};
  const std::vector<Cell> cells = cells_of(before, window, after);
  Mixture mixture{.before = 0.5};
  for (int step = 0; step < kSteps; ++step) {  // expectation and maximisation, in one
    double of_before = 0;
    for (const Cell& cell : cells) {
      const double part = mixture.before * cell.before;
      of_before += cell.seen * part / (part + (1 - mixture.before) * cell.after);
    }
    mixture.before = std::clamp(of_before / window.total, 1e-6, 1 - 1e-6);
  }
  double chi_squared = 0;
  for (const Cell& cell : cells) {
    const double expected = window.total * (mixture.before * cell.before + (1 - mixture.before) * cell.after);
    if (expected > 0) chi_squared += (cell.seen - expected) * (cell.seen - expected) / std::max(1.0, expected);
  }
  mixture.fits = cells.size() < 3 || reduce::chi_squared_p(chi_squared, static_cast<double>(cells.size() - 2)) > kDoubt;
  return mixture;
}

}  // namespace atys::adapt
