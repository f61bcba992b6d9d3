// SPDX-License-Identifier: Apache-2.0
// Raw events of a processor's counters by the names that /sys gives them: "cpu/cache-misses/", "cpu/event=0x3c,umask=0x1/p".
#pragma once

#include <string_view>

#include "base/result.h"
#include "linux/perf_events.h"

namespace atys::linux {

Result<> read_pmu_event(std::string_view name, PerfAttributes& attributes);

// Puts `value` into the bits that a format file names: "config:0-7,32-35".
Result<> place_bits(std::string_view format, uint64_t value, PerfAttributes& attributes);

}  // namespace atys::linux
