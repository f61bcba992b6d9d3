// SPDX-License-Identifier: Apache-2.0
// Raw windows of a minute → a segment and their sum; the sums of an hour's minutes → the sum of the hour. No answer changes
// by it, at no time. What comes late is put together in the same way, beside what is there: a minute
// may have several segments and several sums.
#pragma once

#include <vector>

#include "store/embedded/day_file.h"
#include "store/store_maintenance.h"

namespace atys::store {

struct CompactStep {
  Stage from = Stage::Raw;  // or Minute
  int64_t group = 0;
  int64_t start_ns = 0;  // of the minute or hour
};

// The minutes and hours that end before `before_ns` and have something to be put together; minutes first.
Result<std::vector<CompactStep>> steps_to_compact(DayFile& file, int64_t before_ns);
// Does as many of the steps, from the first on, as one transaction should hold, and removes them from the list.
Result<> compact_some(DayFile& file, std::vector<CompactStep>& steps, Compacted& done);
Result<> join_dictionaries(DayFile& file);

}  // namespace atys::store
