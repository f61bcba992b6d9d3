// SPDX-License-Identifier: Apache-2.0
// The file system with the kernel's tracepoints.
#pragma once

#include <string>

#include "base/result.h"

namespace atys::linux {

// Where it is mounted. Mounted nowhere: fails with the command that mounts it.
Result<std::string> find_tracefs();

// The number of a tracepoint, "sched" and "sched_switch".
Result<uint64_t> tracepoint_id(const std::string& group, const std::string& name);

}  // namespace atys::linux
