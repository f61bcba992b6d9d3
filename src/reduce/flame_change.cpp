// SPDX-License-Identifier: Apache-2.0
#include "reduce/flame_change.h"

#include <algorithm>
#include <cmath>

#include "reduce/sample_count.h"

namespace atys::reduce {

namespace {

constexpr double kNinetyFivePercent = 1.96;  // standard deviations

double share(double part, double whole) { return whole == 0 ? 0 : part / whole; }

// Variance of the difference of two shares if both are samples of the same.
double share_variance(double base, double fresh, double base_samples, double fresh_samples) {
  const double pooled = (base * base_samples + fresh * fresh_samples) / (base_samples + fresh_samples);
  return pooled * (1 - pooled) * (1 / base_samples + 1 / fresh_samples);
}

}  // namespace

double samples_behind(const Profile& profile, size_t column) {
  const SampleCount count = count_samples(profile, column);
  return count.is_known ? count.effective : 0;
}

bool is_beyond_chance(double base, double fresh, const FlameWhole& of_base, const FlameWhole& of_fresh, bool absolute) {
  if (base == fresh && absolute) return false;
  // Values below zero are no counts of anything.
  if (of_base.samples <= 0 || of_fresh.samples <= 0 || base < 0 || fresh < 0) return true;
  if (absolute) {
    // Each sample stands for so much; how many there are varies as counts do.
    const double variance = base * share(of_base.total, of_base.samples) + fresh * share(of_fresh.total, of_fresh.samples);
    return std::abs(fresh - base) > kNinetyFivePercent * std::sqrt(variance);
  }
  const double base_share = share(base, of_base.total);
  const double fresh_share = share(fresh, of_fresh.total);
  const double variance = share_variance(base_share, fresh_share, of_base.samples, of_fresh.samples);
  return variance >= 0 && std::abs(fresh_share - base_share) > kNinetyFivePercent * std::sqrt(variance);
}

int change_level(double base, double fresh, const FlameWhole& of_base, const FlameWhole& of_fresh, bool absolute) {
  if (!is_beyond_chance(base, fresh, of_base, of_fresh, absolute)) return 0;
  const double before = absolute ? base : share(base, of_base.total);
  const double after = absolute ? fresh : share(fresh, of_fresh.total);
  if (before == after) return 0;
  if (before == 0) return kMostChange;
  if (after == 0) return -kMostChange;
  const double ratio = after / before;
  if (ratio < 0) return after > before ? kMostChange - 1 : 1 - kMostChange;
  const double size = std::max(ratio, 1 / ratio);
  const int level = size >= 2 ? 3 : size >= 1.25 ? 2 : size >= 1.05 ? 1 : 0;
  // Of two values below zero the one nearer to it is the larger.
  return after > before ? level : -level;
}

}  // namespace atys::reduce
