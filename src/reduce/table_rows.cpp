// SPDX-License-Identifier: Apache-2.0
#include "reduce/table_rows.h"

#include <map>
#include <string_view>
#include <utility>

#include "reduce/top.h"

namespace atys::reduce {

namespace {

template <typename Row>
std::vector<Row> rows_of(const Profile& profile, size_t column, const Dimension& by) {
  const Top found = top(profile, column, by);
  const double scale = found.value_total == 0 ? 0 : 100 / found.value_total;
  std::vector<Row> rows;
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
  TableRows table{rows_of<TableRow>(profile, column, by)};
  if (by.kind == DimensionKind::Function) charge(table.rows, profile, column, code);
  return table;
}

LineRows line_rows(const Profile& profile, size_t column) {
  return {rows_of<LineRow>(profile, column, {DimensionKind::Line, {}})};
}

}  // namespace atys::reduce
