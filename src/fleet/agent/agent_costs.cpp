// SPDX-License-Identifier: Apache-2.0
#include "fleet/agent/agent_costs.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>

#include "base/clock.h"
#include "base/own_cpu.h"
#include "base/unique_fd.h"

namespace atys::fleet {

namespace {

constexpr double kPacedShare = 0.7;  // of the budget: the rest is for what goes on meanwhile, part of which is known later

uint64_t now_ns() { return clock_ns(CLOCK_MONOTONIC); }

}  // namespace

// Asked for every second: the file stays open.
uint64_t resident_bytes() {
  static const UniqueFd statm(::open("/proc/self/statm", O_RDONLY | O_CLOEXEC));
  char text[256] = {};
  unsigned long long pages = 0;
  if (::pread(statm.get(), text, sizeof text - 1, 0) <= 0 || std::sscanf(text, "%*u %llu", &pages) != 1) return 0;
  return pages * static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
}

AgentCosts::AgentCosts(const AgentBudgetPlan& plan)
    : started_for_ns_(own_cpu_ns()),
      pace_(std::make_shared<WorkPace>(kPacedShare * plan.cpu, WorkPace::Account{now_ns, [this] { return spent_ns(); }})),
      budget_(plan) {
  budget_.begin(now_ns());
}

uint64_t AgentCosts::spent_ns() const { return own_cpu_ns() + kernel_cpu_ns_; }

void AgentCosts::set_ordered_factor(double factor) {
  const std::lock_guard lock(mutex_);
  ordered_factor_ = factor;
}

AgentBudget::Order AgentCosts::update(uint64_t least_memory) {
  const AgentBudget::Reading reading{now_ns(), spent_ns(), resident_bytes()};
  const std::lock_guard lock(mutex_);
  budget_.limit_memory(least_memory);
  AgentBudget::Order order = budget_.update(reading);
  order.rate_factor *= ordered_factor_;
  rate_factor_ = order.rate_factor;
  return order;
}

AgentCosts::Figures AgentCosts::figures() const {
  const uint64_t begun_for_ns = started_for_ns_ + pace_->begun_for_ns();
  const std::lock_guard lock(mutex_);
  return {.cpu_share = budget_.cpu_share(), .begun_for_ns = begun_for_ns, .rate_factor = rate_factor_};
}

}  // namespace atys::fleet
