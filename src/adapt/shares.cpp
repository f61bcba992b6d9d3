// SPDX-License-Identifier: Apache-2.0
#include "adapt/shares.h"

#include <algorithm>
#include <vector>

#include "reduce/top.h"

namespace atys::adapt {

namespace {

void keep_largest(Shares& shares, size_t most) {
  if (shares.samples.size() <= most) return;
  std::vector<double> sizes;
  for (const auto& [function, samples] : shares.samples) sizes.push_back(samples);
  const auto last = sizes.begin() + static_cast<std::ptrdiff_t>(most);
  std::nth_element(sizes.begin(), last, sizes.end(), std::greater<>());
  const double floor = *last;  // the largest that has to go
  for (auto at = shares.samples.begin(); at != shares.samples.end();) {
    if (at->second > floor) {
      ++at;
      continue;
    }
    shares.other += at->second;
    at = shares.samples.erase(at);
  }
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
    if (row.self <= 0) continue;
    const double samples = row.self / top.value_total * top.samples;
    shares.samples[row.entity.file.empty() ? row.entity.name : row.entity.name + " " + row.entity.file] += samples;
    named += samples;
  }
  shares.other = std::max(0.0, shares.total - named);
  keep_largest(shares, most);
  return shares;
}

void add(Shares& to, const Shares& from, size_t most) {
  for (const auto& [function, samples] : from.samples) to.samples[function] += samples;
  to.other += from.other;
  to.total += from.total;
  keep_largest(to, most);
}

}  // namespace atys::adapt
