// SPDX-License-Identifier: Apache-2.0
// Code of an interpreter as the sampler copied it in the moment of its first sample (atys_code): pieces of the memory of the
// process, to be read like that memory.
#pragma once

#include <cstring>
#include <vector>

#include "linux/memory_reader.h"

namespace atys::capture {

class CodeCopy final : public linux::MemoryReader {
 public:
  struct Piece {
    uint64_t address = 0;
    std::span<const std::byte> bytes;
  };
  CodeCopy(uint64_t code, uint64_t cookie, std::vector<Piece> pieces)
      : code_(code), cookie_(cookie), pieces_(std::move(pieces)) {}

  uint64_t code() const { return code_; }
  uint64_t cookie() const { return cookie_; }

  size_t read(uint64_t address, std::span<std::byte> into) override {
    for (const Piece& piece : pieces_) {
      if (address < piece.address || address - piece.address >= piece.bytes.size()) continue;
      const auto part = piece.bytes.subspan(address - piece.address);
      const size_t got = std::min(part.size(), into.size());
      std::memcpy(into.data(), part.data(), got);
      return got;
    }
    return 0;
  }

 private:
  uint64_t code_;
  uint64_t cookie_;
  std::vector<Piece> pieces_;
};

}  // namespace atys::capture
