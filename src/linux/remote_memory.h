// SPDX-License-Identifier: Apache-2.0
// Reads the memory of another process without stopping it. What is read may change meanwhile; callers check.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <span>

namespace atys::linux {

// How many bytes could be read from `address` on; fewer than asked at the end of a mapping, 0 when nothing could be.
size_t read_remote_memory(pid_t pid, uint64_t address, std::span<std::byte> into);

}  // namespace atys::linux
