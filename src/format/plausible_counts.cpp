// SPDX-License-Identifier: Apache-2.0
#include "format/plausible_counts.h"

#include <algorithm>
#include <numeric>

namespace atys::format {

bool may_count_samples(std::span<const int64_t> values) {
  static constexpr uint64_t kMostOfTheRarest = 1000;
  static constexpr double kManyInAll = 1e6;
  static constexpr size_t kOneInSoMany = 20;
  static constexpr size_t kEnoughToTell = 20;
  uint64_t rarest = UINT64_MAX;
  uint64_t common_divisor = 0;
  double all = 0;
  size_t stacks = 0;
  size_t seen_once = 0;
  for (const int64_t value : values) {
    if (value == 0) continue;
    const uint64_t size = value < 0 ? 0 - static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
    rarest = std::min(rarest, size);
    common_divisor = std::gcd(common_divisor, size);
    all += static_cast<double>(size);
    ++stacks;
    seen_once += size == 1 ? 1 : 0;
  }
  if (stacks == 0) return true;
  if (rarest > kMostOfTheRarest) return false;
  if (stacks >= kEnoughToTell && common_divisor > 1) return false;
  return all <= kManyInAll || seen_once * kOneInSoMany >= stacks;
}

}  // namespace atys::format
