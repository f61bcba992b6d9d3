// SPDX-License-Identifier: Apache-2.0
// What costs the most: self and total value of every entity of a dimension.
//
// Self is the value of samples whose leaf is the entity; total that of samples in which it occurs anywhere, once per sample
// however often it recurs. Sums of |value| beyond 2^63 are kept in doubles' precision.
#pragma once

#include <vector>

#include "reduce/attribution.h"
#include "reduce/confidence.h"

namespace atys::reduce {

struct TopRow {
  Entity entity;
  double self = 0;
  double total = 0;
  Interval self_share_ci95;  // 0 to 1
};

struct Top {
  double value_total = 0;      // of all samples
  double samples = 0;          // effective: see sample_count.h
  std::vector<TopRow> rows;    // largest self first, then largest total, then by name
  bool is_count_known = true;  // whether `samples` is; else there are no intervals
};

Top top(const Profile& profile, size_t column, const Dimension& dimension);

// Whether lines tell rows apart; else they only say where a function begins, which may move between versions.
bool is_by_line(const Top& top);

}  // namespace atys::reduce
