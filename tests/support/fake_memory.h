// SPDX-License-Identifier: Apache-2.0
// The memory of a process that a test makes up: pieces at addresses, nothing between them.
#pragma once

#include <algorithm>
#include <cstring>
#include <functional>
#include <map>
#include <string_view>
#include <vector>

#include "linux/memory_reader.h"

namespace atys::test {

class FakeMemory final : public linux::MemoryReader {
 public:
  // A piece of zeroes. Pieces do not overlap; a read does not cross from one into another.
  void map(uint64_t address, size_t size) { pieces_[address].resize(size); }
  void unmap(uint64_t address) { pieces_.erase(address); }

  // Writes into a piece; the test's own mistake when there is none.
  void put_bytes(uint64_t address, std::string_view bytes) {
    auto piece = piece_at(address);
    std::memcpy(piece->second.data() + (address - piece->first), bytes.data(), bytes.size());
  }
  template <typename T>
  void put(uint64_t address, T value) {
    put_bytes(address, {reinterpret_cast<const char*>(&value), sizeof value});
  }

  size_t read(uint64_t address, std::span<std::byte> into) override {
    ++reads;
    size_t size = 0;
    if (const auto piece = piece_at(address); piece != pieces_.end()) {
      const uint64_t at = address - piece->first;
      size = std::min<uint64_t>(into.size(), piece->second.size() - at);
      std::memcpy(into.data(), piece->second.data() + at, size);
    }
    if (after_read) after_read(address);
    return size;
  }

  size_t reads = 0;
  std::function<void(uint64_t address)> after_read;  // the process goes on: what it does between two reads of ours

 private:
  using Pieces = std::map<uint64_t, std::vector<std::byte>>;

  Pieces::iterator piece_at(uint64_t address) {
    auto piece = pieces_.upper_bound(address);
    if (piece == pieces_.begin()) return pieces_.end();
    --piece;
    return address - piece->first < piece->second.size() ? piece : pieces_.end();
  }

  Pieces pieces_;
};

// For a reader that wants memory of its own, while the test goes on changing it.
class BorrowedMemory final : public linux::MemoryReader {
 public:
  explicit BorrowedMemory(linux::MemoryReader& memory) : memory_(&memory) {}
  size_t read(uint64_t address, std::span<std::byte> into) override { return memory_->read(address, into); }

 private:
  linux::MemoryReader* memory_;
};

}  // namespace atys::test
