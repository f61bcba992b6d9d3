// SPDX-License-Identifier: Apache-2.0
#include "fleet/agent/reporter.h"

#include <algorithm>

#include "base/error_text.h"

namespace atys::fleet {

namespace {

constexpr uint64_t kSoonestNs = 1'000'000'000;
constexpr uint64_t kFirstRetryNs = 500'000'000;
constexpr uint64_t kLongestRetryNs = 30'000'000'000;

}  // namespace

Reporter::Round Reporter::report(const AgentReport& own) {
  Round round{.before = read_clocks()};
  Result<Orders> orders = link_.report(own);  // without the lock: a network is slow
  round.after = read_clocks();
  const std::lock_guard lock(mutex_);
  is_connected_ = orders.ok();
  trouble_ = orders.ok() ? "" : error_text(orders.error());
  retry_ns_ = orders.ok() ? 0 : std::clamp(retry_ns_ * 2, kFirstRetryNs, kLongestRetryNs);
  round.again_after_ns = orders.ok() ? std::max(orders->report_again_ns, kSoonestNs) : retry_ns_;
  if (!orders.ok()) return round;
  if (const Result<> kept = orders_.follow(*orders); !kept.ok()) trouble_ = error_text(kept.error());
  round.orders = orders.take();
  return round;
}

Reporter::State Reporter::state() const {
  const std::lock_guard lock(mutex_);
  return {.is_connected = is_connected_, .trouble = trouble_, .not_understood = orders_.not_understood()};
}

std::vector<Task> Reporter::tasks() const {
  const std::lock_guard lock(mutex_);
  return orders_.tasks();
}

}  // namespace atys::fleet
