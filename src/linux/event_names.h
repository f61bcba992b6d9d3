// SPDX-License-Identifier: Apache-2.0
// Events by the names that people use: "page-faults", "cycles:pp", "cache-misses:u", "r01c2", "cpu/event=0x3c,umask=1/",
// "sched:sched_switch".
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "linux/perf_events.h"

namespace atys::linux {

struct NamedEvent {
  PerfAttributes attributes{};  // type, config and what the modifiers behind the colon say
  bool is_hardware = false;
  bool is_clock = false;  // counts nanoseconds
  std::string skid;       // for people: how far from the instruction that caused it a sample may be; empty: it is exact
};

Result<NamedEvent> find_event(std::string_view name);

// The names of the software events and of the generic hardware events, for help and completion.
std::vector<std::string_view> software_event_names();
std::vector<std::string_view> hardware_event_names();

}  // namespace atys::linux
