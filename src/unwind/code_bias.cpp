// SPDX-License-Identifier: Apache-2.0
#include "unwind/code_bias.h"

namespace atys::unwind {

namespace {

// The largest page of the machines that we run on: a mapping begins less than this before its segment.
constexpr uint64_t kLargestPage = 64 << 10;

}  // namespace

std::optional<uint64_t> code_bias(const symbolize::ElfFile& file, uint64_t start, uint64_t file_offset) {
  std::optional<uint64_t> nearest;
  uint64_t distance = kLargestPage;
  for (const auto& segment : file.segments()) {
    if (!segment.is_executable) continue;
    const uint64_t bias = start - file_offset - (segment.address - segment.file_offset);
    // A part of the segment, after a change of protection: no other can be meant.
    if (file_offset >= segment.file_offset && file_offset - segment.file_offset < segment.file_size) return bias;
    if (file_offset > segment.file_offset || segment.file_offset - file_offset >= distance) continue;
    nearest = bias;
    distance = segment.file_offset - file_offset;
  }
  return nearest;
}

}  // namespace atys::unwind
