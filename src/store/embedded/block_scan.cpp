// SPDX-License-Identifier: Apache-2.0
#include "store/embedded/block_scan.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "store/embedded/calendar.h"
#include "store/embedded/day_read.h"
#include "store/embedded/series_labels.h"

namespace atys::store {

Result<BlockScan> BlockScan::prepare(DayFile& file, const Question& question, const ReadNeeds& needs) {
  BlockScan scan(file, question);
  TRY(scan.list_groups());
  if (scan.groups_.empty()) return scan;
  if (question.filter.needs_windows()) TRY(scan.list_series());
  scan.plan_ = plan_day(file.day_ns(), needs, TRY(file.kept_from()));
  for (const ReadSpan& span : scan.plan_.spans) TRY(scan.list_span(span));
  std::ranges::sort(scan.blocks_, {},
                    [](const Listed& block) { return std::tuple(block.dictionary, block.start_ns, block.id); });
  return scan;
}

Result<> BlockScan::list_groups() {
  Statement rows = TRY(file_->database().prepare(
      "SELECT id, service, kind, version FROM grp WHERE (length(?1)=0 OR service=?1) AND (length(?2)=0 OR kind=?2)"));
  rows.bind(1, question_->selection.service).bind(2, question_->selection.kind);
  while (TRY(rows.step())) {
    const WindowNames names{.service = rows.bytes(1), .kind = rows.bytes(2), .version = rows.bytes(3)};
    if (question_->filter.fits_group(names)) groups_.push_back(rows.number(0));
  }
  return {};
}

Result<> BlockScan::list_series() {
  series_.emplace();
  for (const int64_t group : groups_) {
    Statement rows = TRY(file_->database().prepare("SELECT id, node, instance, labels FROM series WHERE grp=?"));
    rows.bind(1, group);
    while (TRY(rows.step())) {
      const LabelList labels = decode_labels(rows.bytes(3)).labels;
      if (question_->filter.fits_instance({.node = rows.bytes(1), .instance = rows.bytes(2), .labels = &labels}))
        series_->insert(static_cast<uint32_t>(rows.number(0)));
    }
  }
  return {};
}

Result<> BlockScan::list_span(const ReadSpan& span) {
  for (const int64_t group : groups_) {
    TRY(list_blocks(Stage::Raw, 0, group, span.from_ns, span.to_ns));
    TRY(list_blocks(Stage::Damaged, 1, group, floor_to(span.from_ns, kMinuteNs), span.to_ns));
    switch (span.level) {
      case Level::Windows: TRY(list_blocks(Stage::Segment, 0, group, floor_to(span.from_ns, kMinuteNs), span.to_ns)); break;
      case Level::Minutes: TRY(list_blocks(Stage::Minute, 1, group, span.from_ns, span.to_ns)); break;
      case Level::Hours:
        TRY(list_blocks(Stage::Minute, 0, group, span.from_ns, span.to_ns));  // those that came after the hour's sum
        TRY(list_blocks(Stage::Hour, 0, group, span.from_ns, span.to_ns));
        break;
    }
  }
  return {};
}

Result<> BlockScan::list_blocks(Stage stage, int64_t folded_at_most, int64_t group, int64_t from_ns, int64_t to_ns) {
  Statement rows = TRY(file_->database().prepare(
      "SELECT id, dictionary, start, windows, series FROM block WHERE stage=?1 AND folded=0 AND grp=?3 AND start>=?4 AND "
      "start<?5 UNION ALL SELECT id, dictionary, start, windows, series FROM block WHERE stage=?1 AND folded=1 AND ?2=1 AND "
      "grp=?3 AND start>=?4 AND start<?5"));
  rows.bind(1, static_cast<int64_t>(stage)).bind(2, folded_at_most).bind(3, group).bind(4, from_ns).bind(5, to_ns);
  while (TRY(rows.step())) {
    // Raw windows say whose they are without being read.
    if (stage == Stage::Raw && series_ && !series_->contains(static_cast<uint32_t>(rows.number(4)))) continue;
    blocks_.push_back({rows.number(0), rows.number(1), rows.number(2), static_cast<size_t>(rows.number(3)), stage});
  }
  return {};
}

bool BlockScan::wants(const BlockWindow& window) const {
  if (window.series == 0) return true;
  return window.start_ns >= question_->selection.from_ns && window.start_ns < question_->selection.to_ns &&
         (!series_ || series_->contains(window.series));
}

Result<BlockScan::Found> BlockScan::read(const Listed& listed, const Dictionary& dictionary) {
  if (listed.stage == Stage::Damaged) return fail(ErrorCode::InvalidInput, "set aside as damaged");
  Statement data = TRY(file_->database().prepare("SELECT data FROM block WHERE id=?"));
  data.bind(1, listed.id);
  if (!TRY(data.step())) return fail(ErrorCode::InvalidInput, "block is gone");
  Found found;
  found.block = TRY(decode_block(TRY(unpack(data.bytes(0))), dictionary.sizes()));
  found.is_sum = listed.stage == Stage::Minute || listed.stage == Stage::Hour;
  found.windows = listed.windows;
  found.start_ns = listed.start_ns;
  return found;
}

Result<> BlockScan::visit(const Listed& listed, const Dictionary& dictionary, const Visitor& visitor, Coverage& coverage) {
  auto found = read(listed, dictionary);
  if (!found.ok()) {
    if (found.error().code != ErrorCode::InvalidInput) return found.error();
    add_problem(coverage.problems,
                fmt::format("{}: block {}: {}", day_file_name(file_->day_ns()), listed.id, found.error().message));
    return {};
  }
  const Level level = listed.stage == Stage::Hour     ? Level::Hours
                      : listed.stage == Stage::Minute ? Level::Minutes
                                                      : Level::Windows;
  coverage.coarsest = std::max(coverage.coarsest, level);
  visitor.visit(found.take());
  return {};
}

Result<> BlockScan::run(const Visitor& visitor, Coverage& coverage) {
  coverage.exact &= plan_.exact;
  coverage.dropped |= plan_.dropped;
  for (const ReadSpan& span : plan_.spans) {
    coverage.from_ns = std::min(coverage.from_ns, span.from_ns);
    coverage.to_ns = std::max(coverage.to_ns, span.to_ns);
  }
  const auto day = day_file_name(file_->day_ns());
  for (size_t begin = 0; begin < blocks_.size();) {
    size_t end = begin;
    while (end < blocks_.size() && blocks_[end].dictionary == blocks_[begin].dictionary) ++end;
    const auto dictionary = file_->dictionary(blocks_[begin].dictionary);
    if (!dictionary.ok()) {
      if (dictionary.error().code != ErrorCode::InvalidInput) return dictionary.error();
      add_problem(coverage.problems,
                  fmt::format("{}: {} blocks not read: {}", day, end - begin, dictionary.error().message));
    } else {
      TRY(visitor.begin_dictionary(**dictionary));
    }
    for (; begin < end && dictionary.ok(); ++begin) TRY(visit(blocks_[begin], **dictionary, visitor, coverage));
    if (dictionary.ok()) visitor.end_dictionary(**dictionary);
    begin = end;
  }
  return {};
}

}  // namespace atys::store
