// SPDX-License-Identifier: Apache-2.0
// Filters of systemd's units kill who makes a call that they refuse, unless they are told to answer. Who asks here first
// lives.
#pragma once

#include <sys/types.h>
#include <sys/uio.h>

#include <span>

#include "linux/call_filter.h"

namespace atys::linux {

// Whether who makes the call lives on. Tried once for each call, by a child, and only behind a filter.
bool is_survivable(SystemCall call);

// process_vm_readv; -1 with errno where it fails, and where it would be deadly.
ssize_t read_vectors(pid_t pid, std::span<const iovec> local, std::span<const iovec> remote);

}  // namespace atys::linux
