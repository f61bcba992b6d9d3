// SPDX-License-Identifier: Apache-2.0
// Memory of a process as a file: pieces of {address, size, bytes}. Recorded from a real one by noting what was read;
// replayed by tests, and bent by fuzzers.
#pragma once

#include <cstring>
#include <iterator>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "support/fake_memory.h"

namespace atys::test {

// Passes reads on to `memory`, and keeps what they gave.
class RecordingMemory final : public linux::MemoryReader {
 public:
  explicit RecordingMemory(linux::MemoryReader& memory, std::map<uint64_t, std::string>& pieces)
      : memory_(&memory), pieces_(&pieces) {}

  size_t read(uint64_t address, std::span<std::byte> into) override {
    const size_t got = memory_->read(address, into);
    std::string& piece = (*pieces_)[address];
    if (got > piece.size()) piece.assign(reinterpret_cast<const char*>(into.data()), got);
    return got;
  }

 private:
  linux::MemoryReader* memory_;
  std::map<uint64_t, std::string>* pieces_;
};

// Reads overlap; pieces of a FakeMemory do not.
inline std::map<uint64_t, std::string> joined(const std::map<uint64_t, std::string>& pieces) {
  std::map<uint64_t, std::string> joined;
  for (const auto& [address, bytes] : pieces) {
    const auto last = joined.empty() ? joined.end() : std::prev(joined.end());
    if (last == joined.end() || address > last->first + last->second.size()) {
      joined.emplace_hint(joined.end(), address, bytes);
      continue;
    }
    const size_t known = last->first + last->second.size() - address;
    if (bytes.size() > known) last->second += bytes.substr(known);
  }
  return joined;
}

inline std::string image_of(const std::map<uint64_t, std::string>& pieces) {
  std::string image;
  for (const auto& [address, bytes] : joined(pieces)) {
    const auto size = static_cast<uint32_t>(bytes.size());
    image.append(reinterpret_cast<const char*>(&address), sizeof address);
    image.append(reinterpret_cast<const char*>(&size), sizeof size);
    image += bytes;
  }
  return image;
}

// Reads as far as the image makes sense.
inline FakeMemory memory_of(std::string_view image) {
  FakeMemory memory;
  while (image.size() >= sizeof(uint64_t) + sizeof(uint32_t)) {
    uint64_t address = 0;
    uint32_t size = 0;
    std::memcpy(&address, image.data(), sizeof address);
    std::memcpy(&size, image.data() + sizeof address, sizeof size);
    image.remove_prefix(sizeof address + sizeof size);
    const std::string_view bytes = image.substr(0, size);
    image.remove_prefix(bytes.size());
    if (bytes.empty()) continue;
    memory.map(address, bytes.size());
    memory.put_bytes(address, bytes);
  }
  return memory;
}

}  // namespace atys::test
