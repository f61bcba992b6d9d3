// SPDX-License-Identifier: Apache-2.0
#include "capture/java/jfr_chunks.h"

#include <cstdint>
#include <string>

#include "base/byte_source.h"

namespace atys::capture::java {

namespace {

constexpr std::string_view kMagic("FLR\0", 4);
constexpr size_t kHeaderSize = 68;
constexpr size_t kSizeOffset = 8;
// What async-profiler writes as the size of a chunk that has no end yet, and the least that a chunk can be.
constexpr uint64_t kUnfinished = uint64_t{1} << 30;

uint64_t size_of_chunk(std::span<const std::byte> chunk) {
  uint64_t size = 0;
  for (size_t i = 0; i < sizeof size; ++i) size = size << 8 | std::to_integer<uint64_t>(chunk[kSizeOffset + i]);
  return size;
}

}  // namespace

Result<size_t> complete_chunks(std::span<const std::byte> bytes) {
  size_t at = 0;
  while (bytes.size() - at >= kHeaderSize) {
    const auto chunk = bytes.subspan(at);
    if (!as_text(chunk).starts_with(kMagic))
      return fail(ErrorCode::InvalidInput, "no chunk of a recording at offset " + std::to_string(at));
    const uint64_t size = size_of_chunk(chunk);
    if (size == kUnfinished || size > chunk.size() || size < kHeaderSize) break;
    at += size;
  }
  return at;
}

}  // namespace atys::capture::java
