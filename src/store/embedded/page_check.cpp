// SPDX-License-Identifier: Apache-2.0
#include "store/embedded/page_check.h"

#include <xxhash.h>

#include <algorithm>
#include <bit>
#include <cstring>

namespace atys::store {

namespace {

// Offsets in headers, of the file format of SQLite.
constexpr size_t kReservedAt = 20;
constexpr size_t kVersionAt = 60;
constexpr size_t kLogPageSizeAt = 8;
constexpr size_t kLogSaltAt = 16;
constexpr size_t kLogSumAt = 24;
constexpr size_t kFrameCommitAt = 4;
constexpr size_t kFrameSaltAt = 8;
constexpr size_t kFrameSumAt = 16;
constexpr uint32_t kLogMagic = 0x377f0682;  // sums of little-endian words; the next number: of big-endian ones

uint32_t big_endian(ByteView bytes, size_t at) {
  return uint32_t{bytes[at]} << 24 | uint32_t{bytes[at + 1]} << 16 | uint32_t{bytes[at + 2]} << 8 | bytes[at + 3];
}

struct LogSum {
  uint32_t first = 0, second = 0;

  void add(ByteView bytes, bool is_big_endian) {
    const bool swap = is_big_endian != (std::endian::native == std::endian::big);
    for (size_t at = 0; at + 8 <= bytes.size(); at += 8) {
      uint32_t words[2];
      std::memcpy(words, bytes.data() + at, sizeof words);
      if (swap) {
        for (uint32_t& word : words) word = __builtin_bswap32(word);
      }
      first += words[0] + second;
      second += words[1] + first;
    }
  }
};

// Frames of earlier rounds lie behind those of this one; their salts are others, not nearly the same.
bool is_of_log(ByteView log_header, ByteView frame_header) {
  int different = 0;
  for (size_t at = 0; at < 8; at += 4) {
    different += std::popcount(big_endian(log_header, kLogSaltAt + at) ^ big_endian(frame_header, kFrameSaltAt + at));
  }
  return different <= 4;
}

bool is_log_header(ByteView header) {
  if (header.size() < kLogHeaderBytes || (big_endian(header, 0) & ~1U) != kLogMagic) return false;
  LogSum sum;
  sum.add(header.first(kLogSumAt), (big_endian(header, 0) & 1) != 0);
  return sum.first == big_endian(header, kLogSumAt) && sum.second == big_endian(header, kLogSumAt + 4);
}

}  // namespace

bool has_checksums(ByteView header) { return big_endian(header, kVersionAt) >= 2 || header[kReservedAt] != 0; }

uint64_t page_checksum(ByteView page, uint64_t number) {
  return XXH3_64bits_withSeed(page.data(), page.size() - kChecksumBytes, number);
}

bool is_page_intact(ByteView page, uint64_t number) {
  XXH64_canonical_t stored;
  std::memcpy(stored.digest, page.data() + page.size() - kChecksumBytes, kChecksumBytes);
  return XXH64_hashFromCanonical(&stored) == page_checksum(page, number);
}

bool is_frame_intact(ByteView log_header, ByteView before, ByteView frame_header, ByteView page) {
  const size_t sum_at = before.size() == kLogHeaderBytes ? kLogSumAt : kFrameSumAt;
  if (!std::ranges::equal(log_header.subspan(kLogSaltAt, 8), frame_header.subspan(kFrameSaltAt, 8))) return false;
  const bool is_big_endian = (big_endian(log_header, 0) & 1) != 0;
  LogSum sum{big_endian(before, sum_at), big_endian(before, sum_at + 4)};
  sum.add(frame_header.first(kFrameSaltAt), is_big_endian);
  sum.add(page, is_big_endian);
  return sum.first == big_endian(frame_header, kFrameSumAt) && sum.second == big_endian(frame_header, kFrameSumAt + 4);
}

uint64_t lost_transactions(ByteView log) {
  if (log.size() < kLogHeaderBytes) return 0;
  const ByteView header = log.first(kLogHeaderBytes);
  const size_t page_size = big_endian(header, kLogPageSizeAt);
  const bool is_readable = page_size >= 512 && page_size <= 65536 && std::has_single_bit(page_size);
  // A log whose header is damaged is not taken up at all. One that ends in its header holds nothing.
  if (!is_readable || !is_log_header(header)) return log.size() > kLogHeaderBytes + kFrameHeaderBytes ? 1 : 0;
  ByteView before = header;
  bool is_intact = true;
  uint64_t lost = 0;
  for (size_t at = kLogHeaderBytes; at + kFrameHeaderBytes + page_size <= log.size(); at += kFrameHeaderBytes + page_size) {
    const ByteView frame = log.subspan(at, kFrameHeaderBytes);
    is_intact = is_intact && is_frame_intact(header, before, frame, log.subspan(at + kFrameHeaderBytes, page_size));
    if (!is_intact && is_of_log(header, frame) && big_endian(frame, kFrameCommitAt) != 0) ++lost;
    before = frame;
  }
  return lost;
}

}  // namespace atys::store
