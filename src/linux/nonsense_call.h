// SPDX-License-Identifier: Apache-2.0
// One system call with arguments that no kernel takes, for who finds out what a filter does to it.
#pragma once

#include "linux/call_filter.h"

namespace atys::linux {

// What the system call gives; nothing else is done, so that a child of a process with threads may.
long call_with_nonsense(SystemCall call);

}  // namespace atys::linux
