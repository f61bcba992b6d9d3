// SPDX-License-Identifier: Apache-2.0
#include "verbs/hot_paths.h"

#include <algorithm>
#include <numeric>

#include "reduce/attribution.h"

namespace atys::verbs {

using namespace profile;
using reduce::EntityId;

std::vector<SummaryRow> hot_paths(const ViewedProfile& viewed, const reduce::CodeOrigins& code) {
  const Profile& profile = viewed.loaded.profile;
  const reduce::Attribution& attribution = code.attribution();
  enum class PathId : uint32_t {};
  ListTable<EntityId, PathId> paths;  // leaf first
  std::vector<double> values(1);
  std::vector<EntityId> scratch;
  double sum = 0;
  for (size_t row = 0; row < profile.samples.size(); ++row) {
    scratch.clear();
    for (const FrameId frame : profile.stacks[profile.samples.stack(row)]) {
      for (const EntityId entity : attribution.of_frame(frame)) scratch.push_back(entity);
    }
    const auto value = static_cast<double>(profile.samples.value(row, viewed.column));
    const size_t path = static_cast<size_t>(paths.intern(scratch));
    values.resize(paths.size());
    values[path] += value;
    sum += value;
  }

  std::vector<uint32_t> order(values.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, [&](uint32_t a, uint32_t b) { return values[a] > values[b]; });
  const double samples = reduce::effective_samples(profile, viewed.column);
  std::vector<SummaryRow> rows;
  for (const uint32_t path : order) {
    if (values[path] == 0) continue;
    const auto leaf_first = paths[PathId{path}];
    const double share = sum == 0 ? 0 : values[path] / sum;
    const reduce::Interval interval = reduce::share_interval(share, samples);
    SummaryRow row{
        .entity = leaf_first.empty() ? reduce::Entity{} : attribution.entities()[static_cast<size_t>(leaf_first.front())],
        .self = values[path],
        .self_percent = share * 100,
        .total = values[path],
        .total_percent = share * 100,
        .ci95 = {interval.low * 100, interval.high * 100}};
    for (size_t i = leaf_first.size(); i-- > 0;) {
      row.path.push_back(attribution.entities()[static_cast<size_t>(leaf_first[i])].name);
      row.origins.emplace_back(to_string(code.of(leaf_first[i])));
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace atys::verbs
