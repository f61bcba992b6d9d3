// SPDX-License-Identifier: Apache-2.0
#include "fleet/agent/agent_budget.h"

#include <algorithm>
#include <cmath>

namespace atys::fleet {

namespace {

constexpr double kNsPerSecond = 1e9;
constexpr double kMemorySeconds = 30;  // of the running mean: one busy second after a change is no reason to slow down
constexpr double kLowerAtMost = 0.3, kLowerAtLeast = 0.9;
constexpr uint64_t kLowerAgainNs = 10'000'000'000;  // what a lower rate saves is seen after a window or so
constexpr double kRaise = 1.05;
constexpr double kCalm = 0.8;  // of the budget: below, rates may rise again
constexpr double kLowest = 0.02;
constexpr uint64_t kShownNs = 60'000'000'000;
constexpr uint64_t kPatienceNs = 30'000'000'000;
constexpr uint64_t kPauseNs = 60'000'000'000;

}  // namespace

double AgentBudget::cpu_share() const {
  if (readings_.size() < 2 || readings_.back().now_ns <= readings_.front().now_ns) return 0;
  return static_cast<double>(readings_.back().cpu_ns - readings_.front().cpu_ns) /
         static_cast<double>(readings_.back().now_ns - readings_.front().now_ns);
}

AgentBudget::Order AgentBudget::update(const Reading& reading) {
  readings_.push_back(reading);
  while (readings_.size() > 2 && reading.now_ns - readings_[1].now_ns >= kShownNs) readings_.pop_front();
  if (has_last_ && reading.now_ns > last_.now_ns) {
    const double seconds = static_cast<double>(reading.now_ns - last_.now_ns) / kNsPerSecond;
    const double used =
        static_cast<double>(reading.cpu_ns - std::min(reading.cpu_ns, last_.cpu_ns)) / kNsPerSecond / seconds;
    const double fade = std::exp(-seconds / kMemorySeconds);
    share_ = share_ * fade + used * (1 - fade);
    // The mean stays high for a while after a burst, such as that of the start, when nothing is wrong any more.
    if (share_ > plan_.cpu && used > plan_.cpu && reading.now_ns >= lower_after_ns_) {
      factor_ = std::max(kLowest, factor_ * std::clamp(plan_.cpu / share_, kLowerAtMost, kLowerAtLeast));
      lower_after_ns_ = reading.now_ns + kLowerAgainNs;
    }
    if (share_ < kCalm * plan_.cpu) factor_ = std::min(1.0, factor_ * kRaise);
  }
  last_ = reading;
  has_last_ = true;
  Order order{.rate_factor = factor_};
  if (reading.memory_bytes <= most_memory()) {
    shed_at_ns_ = 0;
  } else if (shed_at_ns_ == 0) {
    order.shed_memory = true;
    shed_at_ns_ = reading.now_ns;
  } else if (reading.now_ns - shed_at_ns_ > kPatienceNs) {
    paused_until_ns_ = reading.now_ns + kPauseNs;
    shed_at_ns_ = 0;
  }
  if (reading.now_ns < paused_until_ns_) order.rate_factor = 0;
  return order;
}

}  // namespace atys::fleet
