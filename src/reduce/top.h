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
  double value_total = 0;    // of all samples
  double samples = 0;        // effective: see confidence.h
  std::vector<TopRow> rows;  // largest self first, then largest total, then by name
};

Top top(const Profile& profile, size_t column, const Dimension& dimension);

}  // namespace atys::reduce
