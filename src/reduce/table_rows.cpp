// SPDX-License-Identifier: Apache-2.0
#include "reduce/table_rows.h"

#include <map>
#include <string_view>
#include <utility>

#include "reduce/charged_places.h"
#include "reduce/sample_count.h"
#include "reduce/top.h"

namespace atys::reduce {

namespace {

std::vector<TableRow> rows_of(const Profile& profile, size_t column, const Dimension& by) {
  const Top found = top(profile, column, by);
  const double scale = found.value_total == 0 ? 0 : 100 / found.value_total;
  std::vector<TableRow> rows;
  for (const TopRow& row : found.rows) {
    rows.push_back({{.entity = row.entity,
                     .self = row.self,
                     .self_percent = row.self * scale,
                     .total = row.total,
                     .total_percent = row.total * scale,
                     .ci95 = {row.self_share_ci95.low * 100, row.self_share_ci95.high * 100},
                     .rank = rows.size()}});
  }
  return rows;
}

constexpr double kLeastOfCharged = 0.3;  // a callee is worth naming where it is so much of what is charged
constexpr double kLeastOfAll = 0.005;    // … and of the whole

template <typename Row>
std::vector<Row> paying_rows(const std::vector<ChargedPlace>& places, const Profile& profile, size_t column,
                             const CodeOrigins& code) {
  const SampleCount samples = count_samples(profile, column);
  const auto percent = [&](double value) { return code.sum() == 0 ? 0 : value / code.sum() * 100; };
  std::vector<Row> rows;
  for (const ChargedPlace& place : places) {
    const Interval interval = share_interval(percent(place.self) / 100, samples);
    Row row;
    static_cast<CostRow&>(row) = {.entity = place.entity,
                                  .self = place.self,
                                  .self_percent = percent(place.self),
                                  .total = place.total,
                                  .total_percent = percent(place.total),
                                  .ci95 = {interval.low * 100, interval.high * 100},
                                  .rank = rows.size()};
    row.charged = {place.charged, percent(place.charged), place.origin};
    if (place.callee_value >= kLeastOfCharged * place.charged && place.callee_value >= kLeastOfAll * code.sum()) {
      row.callee = place.callee;
      row.callee_percent = percent(place.callee_value);
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

void charge(std::vector<TableRow>& rows, const Profile& profile, size_t column, const CodeOrigins& code) {
  const auto charged = code.charged(profile, column, code.shown_as_own());
  std::map<std::pair<std::string_view, std::string_view>, size_t> known;
  for (size_t i = 0; i < charged.size(); ++i) {
    const Entity& entity = code.attribution().entities()[i];
    known.try_emplace({entity.name, entity.file}, i);
  }
  for (TableRow& row : rows) {
    const auto found = known.find({row.entity.name, row.entity.file});
    if (found == known.end()) continue;
    const auto id = EntityId{static_cast<uint32_t>(found->second)};
    row.charged = {row.self, row.self_percent, code.of(id)};
    if (!code.is_own(id)) continue;
    row.charged->value = charged[found->second];
    row.charged->percent = code.sum() == 0 ? 0 : row.charged->value / code.sum() * 100;
  }
}

}  // namespace

TableRows table_rows(const Profile& profile, size_t column, const Dimension& by, const CodeOrigins& code) {
  TableRows table{rows_of(profile, column, by)};
  if (by.kind == DimensionKind::Function) charge(table.rows, profile, column, code);
  return table;
}

LineRows line_rows(const Profile& profile, size_t column, const CodeOrigins& code) {
  const auto places = charged_places(profile, column, {DimensionKind::Line, {}}, code, code.shown_as_own());
  return {paying_rows<LineRow>(places, profile, column, code)};
}

BriefRows brief_rows(const Profile& profile, size_t column, const Dimension& by, const CodeOrigins& code) {
  const auto places = charged_places(profile, column, by, code, std::max(code.shown_as_own(), Origin::Library));
  return {.rows = paying_rows<BriefRow>(places, profile, column, code), .calls = {}};
}

}  // namespace atys::reduce
