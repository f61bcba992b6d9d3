// SPDX-License-Identifier: Apache-2.0
// Shares that only move in step with others: where one function takes half of the time no more, all others have twice the
// share, though nobody changed them. What is told apart here is which rows keep their proportion to most of the others.
//
// Rows leave one by one, the one furthest from the proportion of those still there first, until none is far from it: the few
// that changed are those that left. That is a guess where as many left as stayed, so then none is said to be in step; and it
// cannot tell one that grew from all others that shrank alike, so it is a word about shares, not about cost.
#pragma once

#include <span>
#include <vector>

namespace atys::reduce {

// A row's values, one for each run.
struct RowValues {
  std::span<const double> base;
  std::span<const double> fresh;
};

// Of one run: the whole, and how many samples that was; 0: not known.
struct RunTotal {
  double value = 0;
  double samples = 0;
};

// Which rows are in step with most others; all false where there are not enough of them to say so.
std::vector<bool> rows_in_step(std::span<const RowValues> rows, std::span<const RunTotal> base,
                               std::span<const RunTotal> fresh);

}  // namespace atys::reduce
