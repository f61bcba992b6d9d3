// SPDX-License-Identifier: Apache-2.0
// Which level of a day to read for which part of a range: the coarsest sums that fit the range exactly, windows at its
// edges, and coarser sums than wanted where retention has left nothing finer.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "store/profile_store.h"

namespace atys::store {

struct ReadNeeds {
  int64_t from_ns = 0;
  int64_t to_ns = 0;
  Level coarsest = Level::Hours;  // that the question can use
  bool windows_only = false;      // and sums are no answer to it at all
};

struct ReadSpan {
  Level level = Level::Windows;
  int64_t from_ns = 0;
  int64_t to_ns = 0;

  bool operator==(const ReadSpan&) const = default;
};

struct ReadPlan {
  std::vector<ReadSpan> spans;  // in order, apart from each other
  bool exact = true;
  bool dropped = false;
};

// `kept_from_ns` says for each level from when on it is kept; whole hours.
ReadPlan plan_day(int64_t day_ns, const ReadNeeds& needs, const std::array<int64_t, kLevels>& kept_from_ns);

}  // namespace atys::store
