// SPDX-License-Identifier: Apache-2.0
// Which thread has a CPU at this moment, as /proc tells. That a thread is ready says little where more are ready than can
// run.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string_view>

namespace atys::linux {

// How often it left a CPU, of its own will or not: of /proc/PID/task/TID/status.
std::optional<uint64_t> parse_switches(std::string_view status);
// The CPU that it is on or was on last: of /proc/PID/task/TID/stat.
std::optional<int> parse_last_cpu(std::string_view stat);

// Who has come to a CPU once more than it left one. `arrivals`: ThreadFigures::turns.
bool is_on_cpu(pid_t pid, pid_t tid, uint64_t arrivals);
// -1: not known.
int last_cpu(pid_t pid, pid_t tid);

}  // namespace atys::linux
