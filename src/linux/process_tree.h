// SPDX-License-Identifier: Apache-2.0
// Who started whom.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <vector>

namespace atys::linux {

// Those processes and all that descend from them, in rising order; we ourselves are left out. A snapshot.
std::vector<pid_t> with_descendants(std::vector<pid_t> pids);

// The same process for ever, whoever gets its number later.
struct StartedProcess {
  pid_t pid = 0;
  uint64_t start_time_ticks = 0;
};
// All that descends from a process, itself not; what has ended is left out. A snapshot.
std::vector<StartedProcess> descendants_of(pid_t root);

// From now on what descends from us and loses its parent becomes our child, instead of that of process 1.
void adopt_orphans();

}  // namespace atys::linux
