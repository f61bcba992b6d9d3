// SPDX-License-Identifier: Apache-2.0
// Who started whom.
#pragma once

#include <sys/types.h>

#include <vector>

namespace atys::linux {

// Those processes and all that descend from them, in rising order; we ourselves are left out. A snapshot.
std::vector<pid_t> with_descendants(std::vector<pid_t> pids);

}  // namespace atys::linux
