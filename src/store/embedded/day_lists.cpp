// SPDX-License-Identifier: Apache-2.0
// Who is in a day, and how the file is.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "store/embedded/calendar.h"
#include "store/embedded/day_read.h"
#include "store/embedded/series_labels.h"
#include "store/window_groups.h"

namespace atys::store {

namespace {

// Every series with what is known of it: from compaction, and from the windows that still wait for it.
constexpr const char* kSeries = R"(
SELECT grp.service, grp.kind, grp.version, series.node, series.instance, series.labels,
       series.first_ns, series.last_ns, series.windows, raw.first_ns, raw.last_ns, raw.windows, series.id
FROM series JOIN grp ON grp.id=series.grp
LEFT JOIN (SELECT series AS id, min(start) AS first_ns, max(start) AS last_ns, count(*) AS windows
           FROM block WHERE stage=0 GROUP BY series) AS raw ON raw.id=series.id
WHERE length(?1)=0 OR grp.service=?1)";

// Without windows: they were dropped.
SeenSeries series_row(const Statement& row) {
  SeriesLabels decoded = decode_labels(row.bytes(5));
  SeenSeries seen{.service = std::string(row.bytes(0)),
                  .kind = std::string(row.bytes(1)),
                  .version = std::string(row.bytes(2)),
                  .node = std::string(row.bytes(3)),
                  .instance = std::string(row.bytes(4)),
                  .labels = std::move(decoded.labels),
                  .stretch = std::move(decoded.stretch),
                  .first_ns = INT64_MAX,
                  .windows = static_cast<uint64_t>(row.number(8) + row.number(11))};
  for (const int column : {6, 9}) {
    if (row.number(column + 2) == 0) continue;
    seen.first_ns = std::min(seen.first_ns, row.number(column));
    seen.last_ns = std::max(seen.last_ns, row.number(column + 1));
  }
  return seen;
}

Result<> add_bytes(DayFile& file, ServiceList& services) {
  Statement rows = TRY(file.database().prepare(
      "SELECT service, sum(bytes) FROM (SELECT grp.service AS service, length(block.data) AS bytes FROM block JOIN grp ON "
      "grp.id=block.grp UNION ALL SELECT dictionary.service, length(chunk.data) FROM chunk JOIN dictionary ON "
      "dictionary.id=chunk.dictionary) GROUP BY service"));
  while (TRY(rows.step())) services.add_bytes(rows.bytes(0), static_cast<uint64_t>(rows.number(1)));
  return {};
}

Result<> check_blocks(DayFile& file, Health& health) {
  const std::string day = day_file_name(file.day_ns());
  Statement rows =
      TRY(file.database().prepare("SELECT id, dictionary, data FROM block WHERE stage<>4 ORDER BY dictionary, id"));
  while (TRY(rows.step())) {
    const auto check = [&]() -> Result<> {
      const Dictionary* dictionary = TRY(file.dictionary(rows.number(1)));
      TRY(decode_block(TRY(unpack(rows.bytes(2))), dictionary->sizes()));
      return {};
    };
    if (const Result<> checked = check(); !checked.ok()) {
      if (checked.error().code != ErrorCode::InvalidInput) return checked.error();
      ++health.damaged;
      add_problem(health.problems, fmt::format("{}: block {}: {}", day, rows.number(0), checked.error().message));
    }
  }
  return {};
}

Result<> check_file(DayFile& file, Health& health) {
  Statement rows = TRY(file.database().prepare("PRAGMA quick_check(10)"));
  while (TRY(rows.step())) {
    if (rows.bytes(0) == "ok") continue;
    add_problem(health.problems, fmt::format("{}: {}", day_file_name(file.day_ns()), rows.bytes(0)));
  }
  return {};
}

}  // namespace

Result<> see_series(DayFile& file, const Question& question, const SeriesVisit& visit) {
  const Selection& selection = question.selection;
  Statement rows = TRY(file.database().prepare(kSeries));
  rows.bind(1, selection.service);
  while (TRY(rows.step())) {
    const SeenSeries seen = series_row(rows);
    const bool is_in_range = seen.windows > 0 && seen.last_ns >= selection.from_ns && seen.first_ns < selection.to_ns;
    if (is_in_range && question.filter.fits(names_of(seen))) TRY(visit(static_cast<uint32_t>(rows.number(12)), seen));
  }
  return {};
}

Result<> services_of_day(DayFile& file, ServiceList& services) {
  const Transaction snapshot = TRY(Transaction::begin(file.database(), /*write=*/false));
  {
    Statement rows = TRY(file.database().prepare(kSeries));
    rows.bind(1, std::string_view());
    while (TRY(rows.step())) {
      if (const SeenSeries seen = series_row(rows); seen.windows > 0) services.add(seen);
    }
  }
  return add_bytes(file, services);
}

Result<> instances_of_day(DayFile& file, std::string_view service, InstanceList& instances) {
  Statement rows = TRY(file.database().prepare(kSeries));
  rows.bind(1, service);
  while (TRY(rows.step())) {
    if (const SeenSeries seen = series_row(rows); seen.windows > 0) instances.add(seen);
  }
  return {};
}

Result<> holdings_of_day(DayFile& file, Holdings& holdings) {
  Statement rows = TRY(file.database().prepare(kSeries));
  rows.bind(1, std::string_view());
  while (TRY(rows.step())) {
    const SeenSeries row = series_row(rows);
    if (row.windows == 0) continue;
    holdings.windows += row.windows;
    holdings.oldest_ns = holdings.oldest_ns == 0 ? row.first_ns : std::min(holdings.oldest_ns, row.first_ns);
    holdings.newest_ns = std::max(holdings.newest_ns, row.last_ns);
  }
  return {};
}

Result<> health_of_day(DayFile& file, bool check_integrity, Health& health) {
  const Transaction snapshot = TRY(Transaction::begin(file.database(), /*write=*/false));
  {
    Statement rows = TRY(file.database().prepare("SELECT stage, count(*), sum(length(data)) FROM block GROUP BY stage"));
    while (TRY(rows.step())) {
      const auto stage = static_cast<Stage>(rows.number(0));
      if (stage == Stage::Damaged) health.damaged += static_cast<uint64_t>(rows.number(1));
      const size_t level = stage == Stage::Hour ? 2 : stage == Stage::Minute ? 1 : 0;
      health.levels[level].blocks += static_cast<uint64_t>(rows.number(1));
      health.levels[level].bytes += static_cast<uint64_t>(rows.number(2));
    }
  }
  TRY(holdings_of_day(file, health));
  if (!check_integrity) return {};
  TRY(check_file(file, health));
  return check_blocks(file, health);
}

}  // namespace atys::store
