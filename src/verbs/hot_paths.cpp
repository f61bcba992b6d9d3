// SPDX-License-Identifier: Apache-2.0
#include "verbs/hot_paths.h"

#include <algorithm>
#include <numeric>
#include <set>

#include "adapt/phases.h"
#include "reduce/attribution.h"

namespace atys::verbs {

using namespace profile;
using reduce::EntityId;

namespace {

constexpr double kLeastTimed = 0.8;  // of the value; below, phases would be of the smaller part

enum class PathId : uint32_t {};

// Leaf first.
void path_of(const Profile& profile, size_t row, const reduce::Attribution& attribution, std::vector<EntityId>& path) {
  path.clear();
  for (const FrameId frame : profile.stacks[profile.samples.stack(row)])
    for (const EntityId entity : attribution.of_frame(frame)) path.push_back(entity);
}

SummaryRow row_of(std::span<const EntityId> leaf_first, double value, double share, const reduce::SampleCount& samples,
                  const reduce::CodeOrigins& code) {
  const auto& entities = code.attribution().entities();
  const reduce::Interval interval = reduce::share_interval(share, samples);
  SummaryRow row{.entity = leaf_first.empty() ? reduce::Entity{} : entities[static_cast<size_t>(leaf_first.front())],
                 .self = value,
                 .self_percent = share * 100,
                 .total = value,
                 .total_percent = share * 100,
                 .ci95 = {interval.low * 100, interval.high * 100}};
  for (size_t i = leaf_first.size(); i-- > 0;) {
    row.path.push_back(entities[static_cast<size_t>(leaf_first[i])].name);
    row.origins.emplace_back(to_string(code.of(leaf_first[i])));
  }
  return row;
}

// `phases` has the number of the phase of each sample, 0: none, and may be empty. Rows are in the order of phases, what has
// none last, and the costliest of each first.
std::vector<SummaryRow> rows_of(const ViewedProfile& viewed, const reduce::CodeOrigins& code,
                                const std::vector<uint32_t>& phases) {
  const Profile& profile = viewed.loaded.profile;
  const size_t kinds = phases.empty() ? 1 : *std::ranges::max_element(phases) + size_t{1};
  ListTable<EntityId, PathId> paths;
  std::vector<double> values(kinds);  // by path and phase
  std::vector<EntityId> scratch;
  double sum = 0;
  for (size_t row = 0; row < profile.samples.size(); ++row) {
    path_of(profile, row, code.attribution(), scratch);
    const auto value = static_cast<double>(profile.samples.value(row, viewed.column));
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
  const reduce::SampleCount samples = reduce::count_samples(profile, viewed.column);
  std::vector<SummaryRow> rows;
  for (const size_t i : order) {
    if (values[i] == 0) continue;
    const auto path = paths[PathId{static_cast<uint32_t>(i / kinds)}];
    rows.push_back(row_of(path, values[i], sum == 0 ? 0 : values[i] / sum, samples, code));
    rows.back().phase = i % kinds;
  }
  return rows;
}

// What a sample does, as far as phases go: its innermost function of the user's own code, or where it has none, its leaf.
uint32_t doing(std::span<const EntityId> leaf_first, const reduce::CodeOrigins& code) {
  const auto own = std::ranges::find_if(leaf_first, [&](EntityId entity) { return code.is_own(entity); });
  if (own != leaf_first.end()) return static_cast<uint32_t>(*own);
  return leaf_first.empty() ? UINT32_MAX : static_cast<uint32_t>(leaf_first.front());
}

std::vector<adapt::Phase> phases_of(const ViewedProfile& viewed, const reduce::CodeOrigins& code) {
  const Profile& profile = viewed.loaded.profile;
  if (!profile.samples.has_times()) return {};
  std::vector<adapt::TimedSample> timed;
  std::vector<EntityId> scratch;
  double with_time = 0;
  double sum = 0;
  for (size_t row = 0; row < profile.samples.size(); ++row) {
    const auto value = static_cast<double>(profile.samples.value(row, viewed.column));
    sum += value;
    if (profile.samples.time_ns(row) == 0 || value <= 0) continue;
    path_of(profile, row, code.attribution(), scratch);
    timed.push_back({profile.samples.time_ns(row), value, doing(scratch, code)});
    with_time += value;
  }
  if (sum <= 0 || with_time < kLeastTimed * sum) return {};
  std::set<int64_t> times;
  for (const adapt::TimedSample& sample : timed) times.insert(sample.time_ns);
  auto phases = adapt::find_phases(timed, reduce::effective_samples(profile, viewed.column) * with_time / sum,
                                   times.size() <= adapt::kMostPhases);
  if (!phases.empty() && profile.header.time_ns > 0)
    phases.back().to_ns = std::max(phases.back().to_ns, profile.header.time_ns + profile.header.duration_ns);
  return phases;
}

// The costliest of each phase first, so that a short answer still tells of every phase.
void rank(std::vector<SummaryRow>& rows) {
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

std::vector<SummaryRow> hot_paths(const ViewedProfile& viewed, const reduce::CodeOrigins& code) {
  std::vector<SummaryRow> rows = rows_of(viewed, code, {});
  rank(rows);
  return rows;
}

PhasedPaths hot_paths_by_phase(const ViewedProfile& viewed, const reduce::CodeOrigins& code) {
  const std::vector<adapt::Phase> found = phases_of(viewed, code);
  if (found.empty()) return {{}, hot_paths(viewed, code)};
  const SampleTable& samples = viewed.loaded.profile.samples;
  std::vector<uint32_t> phases(samples.size());
  for (size_t row = 0; row < samples.size(); ++row) {
    if (samples.time_ns(row) == 0) continue;
    const auto next = std::ranges::upper_bound(found, samples.time_ns(row), {}, &adapt::Phase::from_ns);
    phases[row] = static_cast<uint32_t>(std::max<std::ptrdiff_t>(1, next - found.begin()));
  }
  PhasedPaths result{{}, rows_of(viewed, code, phases)};
  rank(result.rows);
  for (const adapt::Phase& phase : found) {
    SummaryPhase& told = result.phases.emplace_back();
    told.number = result.phases.size();
    told.from_seconds = static_cast<double>(phase.from_ns - found.front().from_ns) / 1e9;
    told.to_seconds = static_cast<double>(phase.to_ns - found.front().from_ns) / 1e9;
    for (const SummaryRow& row : result.rows) {
      if (row.phase != told.number) continue;
      told.value += row.total;
      told.percent += row.total_percent;
    }
  }
  return result;
}

}  // namespace atys::verbs
