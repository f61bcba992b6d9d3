// SPDX-License-Identifier: Apache-2.0
#include "capture/look_times.h"

#include <algorithm>

namespace atys::capture {

namespace {

constexpr uint64_t kMs = 1'000'000;
constexpr uint64_t kCostNs = 100 * kMs;
constexpr uint64_t kCalmNs = 2'000 * kMs;  // from here on what a sample costs is known, and a look now and then is enough
constexpr uint64_t kCalmCostNs = 250 * kMs;
constexpr uint64_t kFarCostNs = 2'000 * kMs;
constexpr uint64_t kCollectNs = 250 * kMs;
constexpr uint64_t kLongCollectNs = 2'000 * kMs;
constexpr uint64_t kTargetNs = 500 * kMs;
constexpr uint64_t kLongTargetNs = 2'000 * kMs;
constexpr uint64_t kLearningNs = 500 * kMs;  // at most: a target that does nothing teaches nothing
constexpr uint64_t kLearningStepNs = 10 * kMs;
constexpr uint64_t kFirstPartNs = 200 * kMs;  // a phase that is shorter is not told

}  // namespace

void LookTimes::begin(uint64_t now_ns) {
  started_ns_ = now_ns;
  next_cost_ns_ = now_ns + kCostNs;
  next_target_ns_ = now_ns + kTargetNs;
  part_ns_ = kFirstPartNs;
  next_part_ns_ = now_ns + part_ns_;
}

uint64_t LookTimes::next(uint64_t now_ns, bool may_wait, bool is_learning) const {
  const uint64_t age = now_ns - started_ns_;
  uint64_t until = std::min(next_cost_ns_, now_ns + (may_wait && age >= kCalmNs ? kLongCollectNs : kCollectNs));
  if (age < kLearningNs && is_learning) until = std::min(until, now_ns + kLearningStepNs);
  if (plan_.duration_ns != 0) until = std::min(until, started_ns_ + plan_.duration_ns);
  return std::max(until, now_ns);
}

void LookTimes::on_wakeup() { next_cost_ns_ = std::min(next_cost_ns_, looked_at_cost_ns_ + kCalmCostNs); }

void LookTimes::looked_at_cost(uint64_t now_ns, bool is_far) {
  looked_at_cost_ns_ = now_ns;
  const bool is_calm = now_ns - started_ns_ >= kCalmNs;
  next_cost_ns_ = now_ns + (!is_calm ? kCostNs : is_far ? kFarCostNs : kCalmCostNs);
}

void LookTimes::on_higher_rate(uint64_t now_ns) { next_cost_ns_ = std::min(next_cost_ns_, now_ns + kCostNs); }

void LookTimes::looked_at_target(uint64_t now_ns) {
  next_target_ns_ = now_ns + (plan_.is_for_good ? kLongTargetNs : kTargetNs);
}

void LookTimes::began_part(uint64_t now_ns, bool is_full) {
  if (is_full) part_ns_ *= 2;
  next_part_ns_ = now_ns + part_ns_;
}

}  // namespace atys::capture
