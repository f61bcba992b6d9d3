// SPDX-License-Identifier: Apache-2.0
#include "adapt/run_phases.h"

#include <algorithm>
#include <cstdint>
#include <set>
#include <span>

#include "adapt/phases.h"
#include "reduce/sample_count.h"

namespace atys::adapt {

namespace {

using reduce::EntityId;

constexpr double kLeastTimed = 0.8;  // of the value; below, phases would be of the smaller part

// What a sample does, as far as phases go: its innermost function of the user's own code, or where it has none, its leaf.
uint32_t doing(std::span<const EntityId> leaf_first, const reduce::CodeOrigins& code) {
  const auto own = std::ranges::find_if(leaf_first, [&](EntityId entity) { return code.is_own(entity); });
  if (own != leaf_first.end()) return static_cast<uint32_t>(*own);
  return leaf_first.empty() ? UINT32_MAX : static_cast<uint32_t>(leaf_first.front());
}

}  // namespace

std::vector<reduce::PhaseTimes> phases_of(const Profile& profile, size_t column, const reduce::CodeOrigins& code) {
  if (!profile.samples.has_times()) return {};
  std::vector<TimedSample> timed;
  std::vector<EntityId> path;
  double with_time = 0;
  double sum = 0;
  for (size_t row = 0; row < profile.samples.size(); ++row) {
    const auto value = static_cast<double>(profile.samples.value(row, column));
    sum += value;
    if (profile.samples.time_ns(row) == 0 || value <= 0) continue;
    path.clear();
    reduce::add_path(profile, row, code.attribution(), path);
    timed.push_back({profile.samples.time_ns(row), value, doing(path, code)});
    with_time += value;
  }
  if (sum <= 0 || with_time < kLeastTimed * sum) return {};
  std::set<int64_t> times;
  for (const TimedSample& sample : timed) times.insert(sample.time_ns);
  std::vector<reduce::PhaseTimes> phases;
  const double samples = reduce::effective_samples(profile, column) * with_time / sum;
  for (const Phase& phase : find_phases(timed, samples, times.size() <= kMostPhases))
    phases.push_back({phase.from_ns, phase.to_ns});
  if (!phases.empty() && profile.header.time_ns > 0)
    phases.back().to_ns = std::max(phases.back().to_ns, profile.header.time_ns + profile.header.duration_ns);
  return phases;
}

}  // namespace atys::adapt
