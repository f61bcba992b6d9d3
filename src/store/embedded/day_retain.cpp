// SPDX-License-Identifier: Apache-2.0
#include "store/embedded/day_retain.h"

#include <algorithm>

#include "store/embedded/calendar.h"
#include "store/embedded/day_compact.h"

namespace atys::store {

namespace {

// Until nothing of what ends before is missing in the coarser level.
Result<> sum_up(DayFile& file, Level level, int64_t before_ns) {
  for (;;) {
    std::vector<CompactStep> steps = TRY(steps_to_compact(file, before_ns));
    const bool is_done = steps.empty() || (level == Level::Windows && steps.front().from != Stage::Raw);
    if (is_done) return {};
    Compacted done;
    while (!steps.empty()) TRY(compact_some(file, steps, done));
  }
}

Result<> mark_dropped(DayFile& file, Level level, int64_t before_ns) {
  Statement mark = TRY(file.database().prepare("INSERT OR REPLACE INTO dropped(level, before_ns) VALUES(?, ?)"));
  return mark.bind(1, static_cast<int64_t>(level)).bind(2, before_ns).run();
}

// Segments and what is damaged, or sums of minutes that are part of an hour's.
Result<uint64_t> remove_blocks(DayFile& file, Level level, int64_t before_ns) {
  Statement remove =
      TRY(file.database().prepare(level == Level::Windows ? "DELETE FROM block WHERE stage IN (1, 4) AND start<?"
                                                          : "DELETE FROM block WHERE stage=2 AND folded=1 AND start<?"));
  TRY(remove.bind(1, before_ns).run());
  return static_cast<uint64_t>(file.database().changes());
}

// Ids guard windows against coming twice; what comes for the time before is refused from now on. Those of undated windows
// are of no minute and go last.
Result<> forget_ids(DayFile& file, int64_t before_ns) {
  Statement forget = TRY(file.database().prepare("DELETE FROM seen WHERE minute<?1 AND minute>=?2"));
  const bool is_whole_day = before_ns >= file.day_ns() + kDayNs;
  return forget.bind(1, before_ns / kMinuteNs).bind(2, is_whole_day ? kUndatedMinute : kUndatedMinute + 1).run();
}

}  // namespace

Result<> drop_level(DayFile& file, Level level, int64_t before_ns, Dropped& dropped) {
  before_ns = std::min(floor_to(before_ns, kHourNs), file.day_ns() + kDayNs);
  if (before_ns <= file.day_ns()) return {};
  TRY(sum_up(file, level, before_ns));
  Transaction transaction = TRY(Transaction::begin(file.database(), /*write=*/true));
  const uint64_t removed = TRY(remove_blocks(file, level, before_ns));
  const bool is_known = TRY(file.kept_from())[static_cast<size_t>(level)] >= before_ns;
  if (removed == 0 && is_known) return {};
  if (!is_known) TRY(mark_dropped(file, level, before_ns));
  if (level == Level::Windows) TRY(forget_ids(file, before_ns));
  TRY(transaction.commit());
  dropped.blocks[static_cast<size_t>(level)] += removed;
  TRY(file.database().execute("PRAGMA incremental_vacuum"));
  // Readers may hold the log open: then it shrinks the next time.
  (void)file.database().execute("PRAGMA wal_checkpoint(TRUNCATE)").ok();
  return {};
}

Result<int64_t> windows_to_free(DayFile& file, uint64_t bytes, int64_t before_ns) {
  int64_t until = TRY(file.kept_from())[0];
  uint64_t freed = 0;
  Statement rows = TRY(file.database().prepare(
      "SELECT start/?1*?1, sum(length(data)) FROM block WHERE stage=1 AND start<?2 GROUP BY 1 ORDER BY 1"));
  rows.bind(1, kHourNs).bind(2, floor_to(before_ns, kHourNs));
  while (freed < bytes && TRY(rows.step())) {
    freed += static_cast<uint64_t>(rows.number(1));
    until = std::max(until, rows.number(0) + kHourNs);
  }
  return until;
}

Result<uint64_t> windows_in(DayFile& file) {
  return static_cast<uint64_t>(TRY(file.database().number(
      "SELECT (SELECT coalesce(sum(windows), 0) FROM series)+(SELECT count(*) FROM block WHERE stage=0)")));
}

}  // namespace atys::store
