// SPDX-License-Identifier: Apache-2.0
#include "reduce/diff.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "reduce/distance.h"

namespace atys::reduce {

namespace {

using Key = std::tuple<std::string_view, std::string_view, int64_t>;

// Where a function starts may move between versions; it is still that function.
Key key_of(const Entity& entity, bool lines_matter) { return {entity.name, entity.file, lines_matter ? entity.line : 0}; }

double measured(const TopRow& row, Measure measure) { return measure == Measure::Self ? row.self : row.total; }

bool has_lines(const Top& top) {
  std::map<std::pair<std::string_view, std::string_view>, int> seen;
  return std::ranges::any_of(top.rows, [&](const TopRow& row) { return ++seen[{row.entity.name, row.entity.file}] > 1; });
}

double share(double value, double total) { return total == 0 ? 0 : value / total; }

}  // namespace

Diff diff(const Top& base, const Top& fresh, Measure measure) {
  const bool lines_matter = has_lines(base) || has_lines(fresh);
  std::map<Key, DiffRow> rows;
  for (const TopRow& row : base.rows) {
    DiffRow& into = rows[key_of(row.entity, lines_matter)];
    into.entity = row.entity;
    into.base += measured(row, measure);
  }
  for (const TopRow& row : fresh.rows) {
    DiffRow& into = rows[key_of(row.entity, lines_matter)];
    into.entity = row.entity;
    into.fresh += measured(row, measure);
  }

  Diff result{.base_total = base.value_total,
              .fresh_total = fresh.value_total,
              .base_samples = base.samples,
              .fresh_samples = fresh.samples,
              .distance = distance(base, fresh),
              .rows = {}};
  std::vector<double> p_values;
  for (auto& [key, row] : rows) {
    row.base_share = share(row.base, base.value_total);
    row.fresh_share = share(row.fresh, fresh.value_total);
    row.delta = row.fresh_share - row.base_share;
    row.delta_ci95 = difference_interval(row.base_share, base.samples, row.fresh_share, fresh.samples);
    p_values.push_back(difference_p_value(row.base_share, base.samples, row.fresh_share, fresh.samples));
  }
  const double threshold = false_discovery_threshold(p_values);
  size_t number = 0;
  for (auto& [key, row] : rows) {
    const bool passes = p_values[number++] <= threshold;
    row.significant = passes && (row.delta_ci95.low > 0 || row.delta_ci95.high < 0);
    result.has_significant_change |= row.significant;
    if (row.delta != 0) result.rows.push_back(std::move(row));
  }
  std::ranges::stable_sort(result.rows,
                           [](const DiffRow& a, const DiffRow& b) { return std::abs(a.delta) > std::abs(b.delta); });
  return result;
}

}  // namespace atys::reduce
