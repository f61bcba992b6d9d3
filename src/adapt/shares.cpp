// SPDX-License-Identifier: Apache-2.0
#include "adapt/shares.h"

#include <algorithm>
#include <vector>

#include "reduce/top.h"

namespace atys::adapt {

namespace {

using Samples = std::map<std::string, double>;

// The largest of those that have to go, where there are more than `most`.
double floor_of(const Samples& functions, size_t most) {
  std::vector<double> sizes;
  for (const auto& [function, samples] : functions) sizes.push_back(samples);
  const auto last = sizes.begin() + static_cast<std::ptrdiff_t>(most);
  std::nth_element(sizes.begin(), last, sizes.end(), std::greater<>());
  return *last;
}

void keep_largest(Shares& shares, size_t most) {
  if (shares.samples.size() <= most) return;
  const double floor = floor_of(shares.samples, most);
  for (auto at = shares.samples.begin(); at != shares.samples.end();) {
    if (at->second > floor) {
      ++at;
      continue;
    }
    shares.other += at->second;
    at = shares.samples.erase(at);
  }
}

void keep_largest_within(Shares& shares, size_t most) {
  if (shares.within.size() <= most) return;
  const double floor = floor_of(shares.within, most);
  std::erase_if(shares.within, [floor](const auto& one) { return one.second <= floor; });
  shares.within_floor += floor;
}

std::string name_of(const reduce::Entity& entity) {
  return entity.file.empty() ? entity.name : entity.name + " " + entity.file;
}

}  // namespace

double Shares::share(const std::string& function) const {
  const auto found = samples.find(function);
  return found == samples.end() || total <= 0 ? 0 : found->second / total;
}

Shares shares_of(const Profile& profile, size_t column, size_t most) {
  Shares shares;
  const reduce::Top top = reduce::top(profile, column, reduce::Dimension{});
  if (top.value_total <= 0) return shares;
  shares.total = top.samples;
  double named = 0;
  for (const reduce::TopRow& row : top.rows) {
    const double samples_per_value = top.samples / top.value_total;
    const std::string name = name_of(row.entity);
    shares.within[name] += row.total * samples_per_value;
    if (row.self <= 0) continue;
    shares.samples[name] += row.self * samples_per_value;
    named += row.self * samples_per_value;
  }
  shares.other = std::max(0.0, shares.total - named);
  keep_largest(shares, most);
  keep_largest_within(shares, 2 * most);
  return shares;
}

void add(Shares& to, const Shares& from, size_t most) {
  for (const auto& [function, samples] : from.samples) to.samples[function] += samples;
  for (const auto& [function, samples] : from.within) to.within[function] += samples;
  to.within_floor += from.within_floor;
  to.other += from.other;
  to.total += from.total;
  keep_largest(to, most);
  keep_largest_within(to, 2 * most);
}

}  // namespace atys::adapt
