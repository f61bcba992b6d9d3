// SPDX-License-Identifier: Apache-2.0
// What processes do besides running, out of the bytes of the rings of perf events: start, exec, map files, end. Nothing is
// asked of the system here.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "linux/perf_records.h"

namespace atys::capture::native {

// Asks an event for these records as well, with times that compare with the sampler's.
void want_process_records(linux::PerfAttributes& attributes);

// `only_process`: records of others are passed over; 0: of all. Bytes that make no sense are a loss of one record: of what,
// nobody knows.
std::optional<linux::PerfRecord> parse_process_record(std::span<const std::byte> bytes, pid_t only_process);

void sort_by_time(std::vector<linux::PerfRecord>& records);

}  // namespace atys::capture::native
