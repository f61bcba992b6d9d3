// SPDX-License-Identifier: Apache-2.0
#include "store/embedded/day_compact.h"

#include <algorithm>
#include <map>

#include "store/embedded/block_sum.h"
#include "store/embedded/calendar.h"
#include "store/embedded/segment_builder.h"

namespace atys::store {

namespace {

// What is held in memory at most: more becomes several segments.
constexpr size_t kMaxRows = 1'000'000;
// What one transaction does at most: writing them costs time, and whoever appends waits for it.
constexpr size_t kRowsOfTransaction = 250'000;
constexpr size_t kStepsOfTransaction = 500;

struct Seen {
  int64_t first_ns = INT64_MAX;
  int64_t last_ns = 0;
  int64_t windows = 0;
};

struct Source {
  int64_t id = 0;
  int64_t dictionary = 0;
  size_t windows = 0;
};

// The blocks of a step that share a dictionary, as many as fit.
class StepPart {
 public:
  StepPart(DayFile& file, const CompactStep& step) : file_(file), step_(step), sum_(Detail::Stacks) {}

  // Whether there is more to do.
  Result<bool> run(Compacted& done) {
    const std::vector<Source> sources = TRY(list());
    if (sources.empty()) return false;
    size_t used = 0;
    for (; used < sources.size() && sources[used].dictionary == sources.front().dictionary && rows_ < kMaxRows; ++used) {
      TRY(take(sources[used]));
    }
    TRY(write(sources.front().dictionary, done));
    return used < sources.size();
  }

  size_t rows() const { return rows_; }

 private:
  bool is_minute() const { return step_.from == Stage::Raw; }
  int64_t length_ns() const { return is_minute() ? kMinuteNs : kHourNs; }

  Result<std::vector<Source>> list() {
    std::vector<Source> sources;
    Statement rows =
        TRY(file_.database().prepare("SELECT id, dictionary, windows FROM block WHERE stage=? AND folded=0 AND grp=? AND "
                                     "start>=? AND start<? ORDER BY dictionary, id"));
    rows.bind(1, static_cast<int64_t>(step_.from)).bind(2, step_.group);
    rows.bind(3, step_.start_ns).bind(4, step_.start_ns + length_ns());
    while (TRY(rows.step())) sources.push_back({rows.number(0), rows.number(1), static_cast<size_t>(rows.number(2))});
    return sources;
  }

  Result<> take(const Source& source) {
    const auto block = read(source);
    if (!block.ok()) {
      // A damaged block must not keep the others from being summed up.
      if (block.error().code != ErrorCode::InvalidInput) return block.error();
      return mark(source.id, "UPDATE block SET stage=4 WHERE id=?");
    }
    rows_ += block->rows();
    sum_.add(*block);
    windows_ += source.windows;
    if (!is_minute()) return mark(source.id, "UPDATE block SET folded=1 WHERE id=?");
    segments_.try_emplace(types_of(*block), *block).first->second.add(*block);
    for (const BlockWindow& window : block->windows) {
      Seen& seen = seen_[window.series];
      seen.first_ns = std::min(seen.first_ns, window.start_ns);
      seen.last_ns = std::max(seen.last_ns, window.start_ns);
      ++seen.windows;
    }
    return mark(source.id, "DELETE FROM block WHERE id=?");
  }

  Result<Block> read(const Source& source) {
    const Dictionary* dictionary = TRY(file_.dictionary(source.dictionary));
    Statement data = TRY(file_.database().prepare("SELECT data FROM block WHERE id=?"));
    data.bind(1, source.id);
    if (!TRY(data.step())) return fail(ErrorCode::InvalidInput, "block is gone");
    return decode_block(TRY(unpack(data.bytes(0))), dictionary->sizes());
  }

  Result<> mark(int64_t id, const char* statement) {
    Statement change = TRY(file_.database().prepare(statement));
    return change.bind(1, id).run();
  }

  static std::vector<std::pair<uint32_t, uint32_t>> types_of(const Block& block) {
    std::vector<std::pair<uint32_t, uint32_t>> types;
    for (const profile::ValueType& type : block.types) types.emplace_back(raw(type.type), raw(type.unit));
    return types;
  }

  Result<> write(int64_t dictionary_id, Compacted& done) {
    if (sum_.empty()) return {};
    StoredBlock place{Stage::Segment, step_.group, step_.start_ns, dictionary_id, 0, 0};
    for (auto& [types, builder] : segments_) {
      place.windows = builder.windows();
      done.windows += builder.windows();
      TRY(file_.insert(place, builder.finish()));
    }
    place.stage = is_minute() ? Stage::Minute : Stage::Hour;
    place.windows = windows_;  // of several sums the first has all
    Dictionary* dictionary = TRY(file_.dictionary(dictionary_id));
    for (const Block& block : sum_.finish_blocks(*dictionary, step_.start_ns, step_.start_ns + length_ns())) {
      TRY(file_.insert(place, block));
      place.windows = 0;
      ++done.sums;
    }
    for (const auto& [series, seen] : seen_) TRY(note(series, seen));
    return file_.save_dictionaries();
  }

  Result<> note(uint32_t series, const Seen& seen) {
    Statement update = TRY(file_.database().prepare(
        "UPDATE series SET first_ns=CASE WHEN windows=0 THEN ?2 ELSE min(first_ns, ?2) END, last_ns=max(last_ns, ?3), "
        "windows=windows+?4 WHERE id=?1"));
    update.bind(1, int64_t{series}).bind(2, seen.first_ns).bind(3, seen.last_ns).bind(4, seen.windows);
    return update.run();
  }

  DayFile& file_;
  CompactStep step_;
  BlockSum sum_;
  std::map<std::vector<std::pair<uint32_t, uint32_t>>, SegmentBuilder> segments_;  // by value types
  std::map<uint32_t, Seen> seen_;
  size_t rows_ = 0;
  size_t windows_ = 0;
};

Result<> list_steps(DayFile& file, Stage from, int64_t unit_ns, int64_t before_ns, std::vector<CompactStep>& steps) {
  Statement rows = TRY(file.database().prepare(
      "SELECT grp, start/?1*?1 FROM block WHERE stage=?2 AND folded=0 AND start<?3 GROUP BY 2, 1 ORDER BY 2, 1"));
  rows.bind(1, unit_ns).bind(2, static_cast<int64_t>(from)).bind(3, before_ns / unit_ns * unit_ns);
  while (TRY(rows.step())) steps.push_back({from, rows.number(0), rows.number(1)});
  return {};
}

}  // namespace

Result<std::vector<CompactStep>> steps_to_compact(DayFile& file, int64_t before_ns) {
  std::vector<CompactStep> steps;
  TRY(list_steps(file, Stage::Raw, kMinuteNs, before_ns, steps));
  // Hours that have minutes still to come in the steps above: they are listed once those are done.
  if (steps.empty()) TRY(list_steps(file, Stage::Minute, kHourNs, before_ns, steps));
  return steps;
}

Result<> compact_some(DayFile& file, std::vector<CompactStep>& steps, Compacted& done) {
  const auto run = [&]() -> Result<size_t> {
    Transaction transaction = TRY(Transaction::begin(file.database(), /*write=*/true));
    size_t rows = 0, finished = 0;
    while (finished < steps.size() && finished < kStepsOfTransaction && rows < kRowsOfTransaction) {
      StepPart part(file, steps[finished]);
      const bool has_more = TRY(part.run(done));
      rows += part.rows();
      finished += has_more ? 0 : 1;
    }
    TRY(transaction.commit());
    return finished;
  };
  const auto finished = run();
  if (!finished.ok()) {
    file.forget();
    return finished.error();
  }
  steps.erase(steps.begin(), steps.begin() + static_cast<ptrdiff_t>(*finished));
  return {};
}

Result<> join_dictionaries(DayFile& file) {
  std::vector<int64_t> many;
  {
    Statement rows = TRY(file.database().prepare("SELECT dictionary FROM chunk GROUP BY dictionary HAVING count(*)>=8"));
    while (TRY(rows.step())) many.push_back(rows.number(0));
  }
  for (const int64_t id : many) {
    Transaction transaction = TRY(Transaction::begin(file.database(), /*write=*/true));
    const Result<> joined = file.join_chunks(id);
    if (!joined.ok() && joined.error().code == ErrorCode::InvalidInput) continue;  // damaged: left as it is
    if (!joined.ok()) return joined.error();
    TRY(transaction.commit());
  }
  return {};
}

}  // namespace atys::store
