// SPDX-License-Identifier: Apache-2.0
// Who is in a day, and how the file is.
#include <fmt/format.h>

#include <algorithm>

#include "store/embedded/calendar.h"
#include "store/embedded/day_read.h"
#include "store/embedded/series_labels.h"

namespace atys::store {

namespace {

// Every series with what is known of it: from compaction, and from the windows that still wait for it.
constexpr const char* kSeries = R"(
SELECT grp.service, grp.kind, grp.version, series.node, series.instance, series.labels,
       series.first_ns, series.last_ns, series.windows, raw.first_ns, raw.last_ns, raw.windows
FROM series JOIN grp ON grp.id=series.grp
LEFT JOIN (SELECT series AS id, min(start) AS first_ns, max(start) AS last_ns, count(*) AS windows
           FROM block WHERE stage=0 GROUP BY series) AS raw ON raw.id=series.id)";

struct SeriesRow {
  std::string service, kind, version, node, instance, labels;
  int64_t first_ns = 0, last_ns = 0;
  uint64_t windows = 0;
};

SeriesRow series_row(const Statement& row) {
  SeriesRow result{std::string(row.bytes(0)), std::string(row.bytes(1)), std::string(row.bytes(2)),
                   std::string(row.bytes(3)), std::string(row.bytes(4)), std::string(row.bytes(5))};
  result.windows = static_cast<uint64_t>(row.number(8) + row.number(11));
  result.first_ns = INT64_MAX;
  for (const int column : {6, 9}) {
    if (row.number(column + 2) == 0) continue;
    result.first_ns = std::min(result.first_ns, row.number(column));
    result.last_ns = std::max(result.last_ns, row.number(column + 1));
  }
  return result;
}

template <typename Entry>
void see(Entry& entry, const SeriesRow& row) {
  entry.first_ns = entry.windows == 0 ? row.first_ns : std::min(entry.first_ns, row.first_ns);
  entry.last_ns = std::max(entry.last_ns, row.last_ns);
  entry.windows += row.windows;
}

void insert_sorted(std::vector<std::string>& list, const std::string& text) {
  const auto place = std::ranges::lower_bound(list, text);
  if (place == list.end() || *place != text) list.insert(place, text);
}

Result<> add_bytes(DayFile& file, ServiceMap& services) {
  Statement rows = TRY(file.database().prepare(
      "SELECT service, sum(bytes) FROM (SELECT grp.service AS service, length(block.data) AS bytes FROM block JOIN grp ON "
      "grp.id=block.grp UNION ALL SELECT dictionary.service, length(chunk.data) FROM chunk JOIN dictionary ON "
      "dictionary.id=chunk.dictionary) GROUP BY service"));
  while (TRY(rows.step())) {
    const auto known = services.find(std::string(rows.bytes(0)));
    if (known != services.end()) known->second.bytes += static_cast<uint64_t>(rows.number(1));
  }
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

Result<> services_of_day(DayFile& file, ServiceMap& services, std::map<std::string, std::set<InstanceKey>>& instances) {
  const Transaction snapshot = TRY(Transaction::begin(file.database(), /*write=*/false));
  Statement rows = TRY(file.database().prepare(kSeries));
  while (TRY(rows.step())) {
    const SeriesRow row = series_row(rows);
    if (row.windows == 0) continue;
    ServiceEntry& entry = services[row.service];
    entry.service = row.service;
    see(entry, row);
    insert_sorted(entry.kinds, row.kind);
    insert_sorted(entry.versions, row.version);
    instances[row.service].insert({row.node, row.instance, {}, {}});
  }
  return add_bytes(file, services);
}

Result<> instances_of_day(DayFile& file, std::string_view service, InstanceMap& instances) {
  Statement rows = TRY(file.database().prepare(kSeries));
  while (TRY(rows.step())) {
    if (rows.bytes(0) != service) continue;
    const SeriesRow row = series_row(rows);
    if (row.windows == 0) continue;
    InstanceEntry& entry = instances[{row.node, row.instance, row.version, row.labels}];
    if (entry.windows == 0) {
      entry.node = row.node;
      entry.instance = row.instance;
      entry.version = row.version;
      entry.labels = decode_labels(row.labels);
    }
    see(entry, row);
    insert_sorted(entry.kinds, row.kind);
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
  {
    Statement rows = TRY(file.database().prepare(kSeries));
    while (TRY(rows.step())) {
      const SeriesRow row = series_row(rows);
      if (row.windows == 0) continue;
      health.windows += row.windows;
      health.oldest_ns = health.oldest_ns == 0 ? row.first_ns : std::min(health.oldest_ns, row.first_ns);
      health.newest_ns = std::max(health.newest_ns, row.last_ns);
    }
  }
  if (!check_integrity) return {};
  TRY(check_file(file, health));
  return check_blocks(file, health);
}

}  // namespace atys::store
