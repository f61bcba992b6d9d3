// SPDX-License-Identifier: Apache-2.0
// The timers on which the sampler in the kernel runs: several for each CPU (timer_periods.h).
#pragma once

#include <array>
#include <vector>

#include "base/unique_fd.h"
#include "capture/native/timer_periods.h"
#include "linux/bpf_object.h"

namespace atys::capture::native {

class CpuTimers {
 public:
  // `object` is loaded and outlives it. They stand still until start().
  static Result<CpuTimers> open(linux::BpfObject& object, uint64_t period_ns);

  Result<> start();
  void stop();
  Result<> set_period(uint64_t period_ns);

 private:
  using Weights = std::array<uint64_t, ATYS_TIMERS>;
  CpuTimers() = default;
  TimerPeriods periods(size_t timer, uint64_t average_ns) const;

  struct Timer {
    size_t number = 0;
    UniqueFd fd;
  };
  size_t per_cpu_ = 1;
  TimerFactors factors_{};
  Weights* weights_ = nullptr;  // shared with the programs
  std::vector<Timer> timers_;
};

}  // namespace atys::capture::native
