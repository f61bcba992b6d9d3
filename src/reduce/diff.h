// SPDX-License-Identifier: Apache-2.0
// What changed between two profiles: the share of each entity in both, with the confidence of the difference. Shares, not
// absolute values, so that recordings of different length compare.
#pragma once

#include <vector>

#include "reduce/attribution.h"
#include "reduce/confidence.h"
#include "reduce/top.h"

namespace atys::reduce {

enum class Measure { Self, Total };

struct DiffRow {
  Entity entity;
  double base = 0;  // value in the base profile
  double fresh = 0;
  double base_share = 0;  // 0 to 1
  double fresh_share = 0;
  double delta = 0;  // fresh_share - base_share
  Interval delta_ci95;
  bool significant = false;  // after bounding false discoveries among all rows at 5 %
};

struct Diff {
  double base_total = 0;
  double fresh_total = 0;
  double base_samples = 0;
  double fresh_samples = 0;
  double distance = 0;        // Jensen-Shannon divergence of the two, 0 to 1: see distance.h
  std::vector<DiffRow> rows;  // only what differs; largest change first
  bool has_significant_change = false;
};

Diff diff(const Top& base, const Top& fresh, Measure measure);

}  // namespace atys::reduce
