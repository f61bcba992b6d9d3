// SPDX-License-Identifier: Apache-2.0
// Reads the memory of another process without stopping it. What is read may change meanwhile; callers check.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <span>

#include "base/unique_fd.h"

namespace atys::linux {

// The memory of a process as a file, for where a filter refuses process_vm_readv: the kernel asks for the same rights. It
// differs in one thing: memory that is mapped, but not to be read (a guard below a stack), reads as what lies there.
class MemoryFile {
 public:
  explicit MemoryFile(pid_t pid) : pid_(pid) {}

  // As read_remote_memory().
  size_t read(uint64_t address, std::span<std::byte> into);

 private:
  bool open();
  // Nothing: what the file stands for is no more.
  std::optional<size_t> read_open(uint64_t address, std::span<std::byte> into) const;

  pid_t pid_;
  UniqueFd fd_;  // opened by the first read; stands for the program that the process ran then
};

// How many bytes could be read from `address` on; fewer than asked at the end of a mapping, 0 when nothing could be.
size_t read_remote_memory(pid_t pid, uint64_t address, std::span<std::byte> into);

// Whether process_vm_readv failed so because a filter refuses it, whatever is to be read.
bool is_refused_by_filter(int error);

}  // namespace atys::linux
