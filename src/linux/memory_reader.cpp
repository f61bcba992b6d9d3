// SPDX-License-Identifier: Apache-2.0
#include "linux/memory_reader.h"

#include <limits.h>
#include <sys/uio.h>

#include <algorithm>
#include <vector>

#include "linux/remote_memory.h"

namespace atys::linux {

std::optional<std::string> MemoryReader::bytes_at(uint64_t address, size_t size) {
  std::string bytes(size, '\0');
  if (!read_all(address, std::as_writable_bytes(std::span(bytes)))) return std::nullopt;
  return bytes;
}

size_t MemoryReader::read_pieces(std::span<const Piece> pieces) {
  size_t done = 0;
  while (done < pieces.size() && read_all(pieces[done].address, pieces[done].into)) ++done;
  return done;
}

size_t ProcessMemory::read_pieces(std::span<const Piece> pieces) {
  std::vector<iovec> local;
  std::vector<iovec> remote;
  pieces = pieces.first(std::min<size_t>(pieces.size(), IOV_MAX));
  for (const Piece& piece : pieces) {
    local.push_back({piece.into.data(), piece.into.size()});
    remote.push_back({reinterpret_cast<void*>(piece.address), piece.into.size()});
  }
  const ssize_t got = ::process_vm_readv(pid_, local.data(), local.size(), remote.data(), remote.size(), 0);
  size_t left = got < 0 ? 0 : static_cast<size_t>(got);
  size_t done = 0;
  for (; done < pieces.size() && left >= pieces[done].into.size(); ++done) left -= pieces[done].into.size();
  return done;
}

size_t ProcessMemory::read(uint64_t address, std::span<std::byte> into) {
  return into.empty() ? 0 : read_remote_memory(pid_, address, into);
}

}  // namespace atys::linux
