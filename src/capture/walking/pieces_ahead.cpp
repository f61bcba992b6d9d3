// SPDX-License-Identifier: Apache-2.0
#include "capture/walking/pieces_ahead.h"

#include <cstring>

namespace atys::capture {

PiecesAhead::PiecesAhead(linux::MemoryReader& memory, const std::vector<Range>& ranges) : memory_(memory) {
  size_t all = 0;
  for (const Range& range : ranges) all += range.size;
  bytes_.resize(all);
  std::vector<Piece> pieces;
  size_t at = 0;
  for (const Range& range : ranges) {
    pieces.push_back({range.address, std::span(bytes_).subspan(at, range.size)});
    at += range.size;
  }
  const size_t known = memory.read_pieces(pieces);
  has_all_ = known == pieces.size();
  at = 0;
  for (size_t i = 0; i < known; ++i) {
    places_.insert_or_assign(ranges[i].address, Place{at, ranges[i].size});
    at += ranges[i].size;
  }
}

size_t PiecesAhead::read(uint64_t address, std::span<std::byte> into) {
  auto after = places_.upper_bound(address);
  if (after == places_.begin()) return memory_.read(address, into);
  const auto& [start, place] = *--after;
  const uint64_t skipped = address - start;
  if (skipped > place.size || place.size - skipped < into.size()) return memory_.read(address, into);
  std::memcpy(into.data(), bytes_.data() + place.offset + skipped, into.size());
  return into.size();
}

}  // namespace atys::capture
