// SPDX-License-Identifier: Apache-2.0
#include "linux/instruction_count.h"

#include <unistd.h>

#include "linux/perf_events.h"

namespace atys::linux {

Result<InstructionCount> InstructionCount::of(pid_t pid) {
  PerfAttributes attributes{};
  attributes.size = sizeof(attributes);
  attributes.type = PERF_TYPE_HARDWARE;
  attributes.config = PERF_COUNT_HW_INSTRUCTIONS;
  attributes.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
  attributes.disabled = 1;
  attributes.enable_on_exec = 1;
  attributes.inherit = 1;
  attributes.exclude_kernel = 1;
  attributes.exclude_hv = 1;
  InstructionCount count;
  count.fd_ = TRY(open_perf_event(attributes, {.pid = pid, .cpu = -1}, "instructions"));
  return count;
}

std::optional<uint64_t> InstructionCount::read() const {
  struct {
    uint64_t value, enabled, running;
  } counted{};
  if (::read(fd_.get(), &counted, sizeof(counted)) != sizeof(counted)) return std::nullopt;
  if (counted.value == 0 || counted.running < counted.enabled) return std::nullopt;
  return counted.value;
}

}  // namespace atys::linux
