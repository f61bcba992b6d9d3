// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

namespace atys::capture {

// Whether we may record the process: of every process as root, else of those that are ours.
bool may_profile(pid_t pid);

}  // namespace atys::capture
