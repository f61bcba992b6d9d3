// SPDX-License-Identifier: Apache-2.0
// Memory of which parts that are likely to be asked for were read with one system call.
#pragma once

#include <map>
#include <vector>

#include "linux/memory_reader.h"

namespace atys::capture {

class PiecesAhead final : public linux::MemoryReader {
 public:
  struct Range {
    uint64_t address = 0;
    size_t size = 0;
  };
  // Reads them at once, in their order. `memory` is asked for all else, and outlives it.
  PiecesAhead(linux::MemoryReader& memory, const std::vector<Range>& ranges);

  bool has_all() const { return has_all_; }
  size_t read(uint64_t address, std::span<std::byte> into) override;
  size_t read_pieces(std::span<const Piece> pieces) override { return memory_.read_pieces(pieces); }

 private:
  struct Place {
    size_t offset = 0;
    size_t size = 0;
  };

  linux::MemoryReader& memory_;
  std::vector<std::byte> bytes_;
  std::map<uint64_t, Place> places_;  // by address
  bool has_all_ = false;
};

}  // namespace atys::capture
