// SPDX-License-Identifier: Apache-2.0
#include "adapt/pruning.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "reduce/random.h"

namespace atys::adapt {

namespace {

constexpr double kZ95 = 1.959964;

// Ties by key, so that the answer does not depend on the order of what came in.
std::vector<Unit> largest_first(std::span<const Unit> units) {
  std::vector<Unit> order(units.begin(), units.end());
  std::sort(order.begin(), order.end(),
            [](const Unit& a, const Unit& b) { return a.samples != b.samples ? a.samples > b.samples : a.key < b.key; });
  return order;
}

double sum(std::span<const Unit> units) {
  double total = 0;
  for (const Unit& unit : units) total += unit.samples;
  return total;
}

// How many of the largest stay as they are: the variance of what the others are replaced by may not pass `variance`.
size_t first_to_thin(std::span<const Unit> order, double variance, unsigned thinning) {
  size_t at = order.size();
  double squares = 0;
  while (at > 0) {
    squares += (thinning - 1.0) * order[at - 1].samples * order[at - 1].samples;
    if (squares > variance) break;
    --at;
  }
  return at;
}

// Of neighbours in order of size one stays: it stands for its like. Returns the variance that the drawing adds at most.
double thin_group(std::span<const Unit> members, unsigned thinning, reduce::Random& random, Pruning& result) {
  const size_t before = result.kept.size();
  double squares = 0;
  double drawn_for = 0;
  for (size_t at = 0; at < members.size(); at += thinning) {
    const std::span<const Unit> those = members.subspan(at, std::min<size_t>(thinning, members.size() - at));
    const auto count = static_cast<double>(those.size());
    const Unit& drawn = those[random.below(those.size())];
    result.kept.push_back({drawn.key, count});  // the inverse of the chance to be drawn
    drawn_for += count * drawn.samples;
    for (const Unit& unit : those) squares += (count - 1) * unit.samples * unit.samples;
    result.dropped += those.size() - 1;
  }
  // The whole is known: what was drawn is made to add up to it.
  const double scale = drawn_for > 0 ? sum(members) / drawn_for : 1;
  for (size_t i = before; i < result.kept.size(); ++i) result.kept[i].weight *= scale;
  return squares;
}

}  // namespace

Pruning keep_largest(std::span<const Unit> units, double share) {
  const std::vector<Unit> order = largest_first(units);
  const double total = sum(order);
  Pruning result;
  double kept = 0;
  for (const Unit& unit : order) {
    if (kept >= share * total) {
      ++result.dropped;
      continue;
    }
    kept += unit.samples;
    result.kept.push_back({unit.key, 1});
  }
  result.dropped_share = total > 0 ? std::max(0.0, 1 - kept / total) : 0;
  result.error_bound = result.dropped_share;
  return result;
}

Pruning thin_smallest(std::span<const Unit> units, double error, uint64_t seed, unsigned thinning) {
  const std::vector<Unit> order = largest_first(units);
  const double total = sum(order);
  const double deviation = error * total / kZ95;
  const size_t first = first_to_thin(order, deviation * deviation, thinning);
  Pruning result;
  for (size_t i = 0; i < first; ++i) result.kept.push_back({order[i].key, 1});
  std::map<uint64_t, std::vector<Unit>> groups;  // each in order of size
  for (size_t i = first; i < order.size(); ++i) groups[order[i].group].push_back(order[i]);
  reduce::Random random(seed);
  double squares = 0;
  for (const auto& [group, members] : groups) squares += thin_group(members, thinning, random, result);
  result.error_bound = total > 0 ? kZ95 * std::sqrt(squares) / total : 0;
  return result;
}

}  // namespace atys::adapt
