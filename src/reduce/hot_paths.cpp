// SPDX-License-Identifier: Apache-2.0
#include "reduce/hot_paths.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "reduce/sample_count.h"

namespace atys::reduce {

using namespace profile;

namespace {

enum class PathId : uint32_t {};

HotPath row_of(std::span<const EntityId> leaf_first, double value, double share, const SampleCount& samples,
               const CodeOrigins& code) {
  const auto& entities = code.attribution().entities();
  const Interval interval = share_interval(share, samples);
  HotPath row;
  if (!leaf_first.empty()) row.entity = entities[static_cast<size_t>(leaf_first.front())];
  row.self = row.total = value;
  row.self_percent = row.total_percent = share * 100;
  row.ci95 = {interval.low * 100, interval.high * 100};
  for (size_t i = leaf_first.size(); i-- > 0;) {
    row.path.push_back(entities[static_cast<size_t>(leaf_first[i])].name);
    row.origins.push_back(code.of(leaf_first[i]));
  }
  return row;
}

// `phases` has the number of the phase of each sample, 0: none, and may be empty. Rows are in the order of phases, what has
// none last, and the costliest of each first.
std::vector<HotPath> rows_of(const Profile& profile, size_t column, const CodeOrigins& code,
                             const std::vector<uint32_t>& phases) {
  const size_t kinds = phases.empty() ? 1 : *std::ranges::max_element(phases) + size_t{1};
  ListTable<EntityId, PathId> paths;
  std::vector<double> values(kinds);  // by path and phase
  std::vector<EntityId> scratch;
  double sum = 0;
  for (size_t row = 0; row < profile.samples.size(); ++row) {
    scratch.clear();
    add_path(profile, row, code.attribution(), scratch);
    const auto value = static_cast<double>(profile.samples.value(row, column));
    const size_t path = static_cast<size_t>(paths.intern(scratch));
    values.resize(paths.size() * kinds);
    values[path * kinds + (phases.empty() ? 0 : phases[row])] += value;
    sum += value;
  }
  std::vector<size_t> order(values.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, [&](size_t a, size_t b) {
    const size_t in_a = (a % kinds + kinds - 1) % kinds;
    const size_t in_b = (b % kinds + kinds - 1) % kinds;
    return in_a != in_b ? in_a < in_b : values[a] > values[b];
  });
  const SampleCount samples = count_samples(profile, column);
  std::vector<HotPath> rows;
  for (const size_t i : order) {
    if (values[i] == 0) continue;
    const auto path = paths[PathId{static_cast<uint32_t>(i / kinds)}];
    rows.push_back(row_of(path, values[i], sum == 0 ? 0 : values[i] / sum, samples, code));
    rows.back().phase = i % kinds;
  }
  return rows;
}

// The costliest of each phase first, so that a short answer still tells of every phase.
void rank(std::vector<HotPath>& rows) {
  std::vector<size_t> order(rows.size());
  std::iota(order.begin(), order.end(), 0);
  const auto is_first = [&](size_t i) { return i == 0 || rows[i - 1].phase != rows[i].phase; };
  std::ranges::stable_sort(order, [&](size_t a, size_t b) {
    if (is_first(a) != is_first(b)) return is_first(a);
    return rows[a].total > rows[b].total;
  });
  for (size_t i = 0; i < order.size(); ++i) rows[order[i]].rank = i;
}

}  // namespace

void add_path(const Profile& profile, size_t row, const Attribution& attribution, std::vector<EntityId>& leaf_first) {
  for (const FrameId frame : profile.stacks[profile.samples.stack(row)])
    for (const EntityId entity : attribution.of_frame(frame)) leaf_first.push_back(entity);
}

std::vector<RawStack> hot_paths(const Profile& profile, size_t column, const CodeOrigins& code) {
  std::vector<HotPath> rows = rows_of(profile, column, code, {});
  rank(rows);
  return {std::make_move_iterator(rows.begin()), std::make_move_iterator(rows.end())};
}

PathRows hot_paths_by_phase(const Profile& profile, size_t column, const CodeOrigins& code,
                            std::span<const PhaseTimes> phases) {
  const SampleTable& samples = profile.samples;
  std::vector<uint32_t> numbers(phases.empty() ? 0 : samples.size());
  for (size_t row = 0; row < numbers.size(); ++row) {
    if (samples.time_ns(row) == 0) continue;
    const auto next = std::ranges::upper_bound(phases, samples.time_ns(row), {}, &PhaseTimes::from_ns);
    numbers[row] = static_cast<uint32_t>(std::max<std::ptrdiff_t>(1, next - phases.begin()));
  }
  PathRows result{rows_of(profile, column, code, numbers)};
  rank(result.rows);
  for (const PhaseTimes& phase : phases) {
    HotPhase& told = result.phases.emplace_back();
    told.number = result.phases.size();
    told.from_seconds = static_cast<double>(phase.from_ns - phases.front().from_ns) / 1e9;
    told.to_seconds = static_cast<double>(phase.to_ns - phases.front().from_ns) / 1e9;
    for (const HotPath& row : result.rows) {
      if (row.phase != told.number) continue;
      told.value += row.total;
      told.percent += row.total_percent;
    }
  }
  return result;
}

}  // namespace atys::reduce
