// SPDX-License-Identifier: Apache-2.0
#include "linux/memory_reader.h"

#include <limits.h>

#include <algorithm>
#include <cerrno>
#include <vector>

#include "linux/deadly_filter.h"

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
  if (is_by_file_) return MemoryReader::read_pieces(pieces);
  std::vector<iovec> local;
  std::vector<iovec> remote;
  pieces = pieces.first(std::min<size_t>(pieces.size(), IOV_MAX));
  for (const Piece& piece : pieces) {
    local.push_back({piece.into.data(), piece.into.size()});
    remote.push_back({reinterpret_cast<void*>(piece.address), piece.into.size()});
  }
  const ssize_t got = read_vectors(pid_, local, remote);
  if (got < 0 && is_refused_by_filter(errno)) {
    is_by_file_ = true;
    return MemoryReader::read_pieces(pieces);
  }
  size_t left = got < 0 ? 0 : static_cast<size_t>(got);
  size_t done = 0;
  for (; done < pieces.size() && left >= pieces[done].into.size(); ++done) left -= pieces[done].into.size();
  return done;
}

size_t ProcessMemory::read(uint64_t address, std::span<std::byte> into) {
  if (into.empty()) return 0;
  if (is_by_file_) return file_.read(address, into);
  const iovec local{into.data(), into.size()};
  const iovec remote{reinterpret_cast<void*>(address), into.size()};
  const ssize_t got = read_vectors(pid_, {&local, 1}, {&remote, 1});
  if (got >= 0) return static_cast<size_t>(got);
  is_by_file_ = is_refused_by_filter(errno);
  return is_by_file_ ? file_.read(address, into) : 0;
}

}  // namespace atys::linux
