// SPDX-License-Identifier: Apache-2.0
// One perf event: a counter or timer of the kernel on a thread, a CPU, or both. Errors say who refused it and
// what allows it.
#pragma once

#include <linux/perf_event.h>
#include <sys/types.h>

#include <cstdint>
#include <string>

#include "base/result.h"
#include "base/unique_fd.h"

namespace atys::linux {

using PerfAttributes = perf_event_attr;

// A timer on the CPU clock that fires every `period_ns`. Always by period: for clocks the kernel turns a frequency into a
// period at open and takes periods from then on.
PerfAttributes cpu_clock_attributes(uint64_t period_ns);

// Where an event looks. pid -1: every process; cpu -1: every CPU.
struct PerfPlace {
  pid_t pid = -1;
  int cpu = -1;
};

// `what` names the event in messages.
Result<UniqueFd> open_perf_event(const PerfAttributes& attributes, PerfPlace place, const std::string& what);

Result<> enable_perf_event(int fd);
Result<> disable_perf_event(int fd);
Result<> set_perf_period(int fd, uint64_t period);

// What it has counted, also in threads that inherited it. The event must have been opened with this read_format.
constexpr uint64_t kCountFormat = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
struct PerfCount {
  uint64_t count = 0;
  uint64_t enabled_ns = 0;  // that it was to count
  uint64_t running_ns = 0;  // that it did: it may have had to share its counter, or its thread ran on another CPU

  PerfCount& operator+=(const PerfCount& other);
};
Result<PerfCount> read_perf_count(int fd);

}  // namespace atys::linux
