// SPDX-License-Identifier: Apache-2.0
#include "linux/memory_reader.h"

#include "linux/remote_memory.h"

namespace atys::linux {

std::optional<std::string> MemoryReader::bytes_at(uint64_t address, size_t size) {
  std::string bytes(size, '\0');
  if (!read_all(address, std::as_writable_bytes(std::span(bytes)))) return std::nullopt;
  return bytes;
}

size_t ProcessMemory::read(uint64_t address, std::span<std::byte> into) {
  return into.empty() ? 0 : read_remote_memory(pid_, address, into);
}

}  // namespace atys::linux
