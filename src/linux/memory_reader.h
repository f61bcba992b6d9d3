// SPDX-License-Identifier: Apache-2.0
// Memory that is not ours, behind one function: that of a process, or an image of it in a test or a fuzzer.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <type_traits>

#include "linux/remote_memory.h"

namespace atys::linux {

class MemoryReader {
 public:
  virtual ~MemoryReader() = default;

  // How many bytes could be read from `address` on: fewer than asked where memory ends, 0 where there is none. What is read
  // may change meanwhile, and may be anything: callers check it.
  virtual size_t read(uint64_t address, std::span<std::byte> into) = 0;

  struct Piece {
    uint64_t address = 0;
    std::span<std::byte> into;
  };
  // Pieces in their order, as close together in time as can be; returns how many of them were read whole before one was not.
  virtual size_t read_pieces(std::span<const Piece> pieces);

  bool read_all(uint64_t address, std::span<std::byte> into) { return read(address, into) == into.size(); }

  // Plain data that lies there as it does here: both are machines of one kind.
  template <typename T>
  std::optional<T> value_at(uint64_t address) {
    static_assert(std::is_trivially_copyable_v<T>);
    T value{};
    if (!read_all(address, std::as_writable_bytes(std::span(&value, 1)))) return std::nullopt;
    return value;
  }

  // Exactly `size` bytes, or nothing.
  std::optional<std::string> bytes_at(uint64_t address, size_t size);
};

// The memory of a running process, which is neither stopped nor slowed.
class ProcessMemory final : public MemoryReader {
 public:
  explicit ProcessMemory(pid_t pid) : pid_(pid), file_(pid) {}

  size_t read(uint64_t address, std::span<std::byte> into) override;
  size_t read_pieces(std::span<const Piece> pieces) override;  // one system call, unless a filter refuses it

 private:
  pid_t pid_;
  MemoryFile file_;          // for where that is so
  bool is_by_file_ = false;  // filters are never taken back
};

}  // namespace atys::linux
