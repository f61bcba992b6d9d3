// SPDX-License-Identifier: Apache-2.0
// What the kernel has accounted for one thread of another process.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/result.h"

namespace atys::linux {

// CPU time since the thread began. A thread that runs at this moment may have used up to a tick of the kernel's more.
Result<uint64_t> thread_cpu_ns(pid_t pid, pid_t tid);

// When the thread began, on CLOCK_BOOTTIME; in steps of a hundredth of a second.
Result<uint64_t> thread_began_boot_ns(pid_t pid, pid_t tid);

// Of the text of a schedstat file: the nanoseconds that it ran. Nothing where the kernel does not keep them.
std::optional<uint64_t> parse_schedstat(std::string_view text);

}  // namespace atys::linux
