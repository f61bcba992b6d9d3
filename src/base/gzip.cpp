// SPDX-License-Identifier: Apache-2.0
#include "base/gzip.h"

#include <libdeflate.h>

#include <algorithm>
#include <cstring>
#include <memory>

namespace atys {

namespace {

using Decompressor = std::unique_ptr<libdeflate_decompressor, decltype(&libdeflate_free_decompressor)>;
using Compressor = std::unique_ptr<libdeflate_compressor, decltype(&libdeflate_free_compressor)>;

constexpr size_t kMinMemberBytes = 18;  // header and trailer of an empty member

// The size that the last four bytes claim. Right for one member below 4 GiB; else only a first guess.
size_t claimed_size(std::span<const std::byte> compressed) {
  uint32_t size = 0;
  std::memcpy(&size, compressed.data() + compressed.size() - sizeof size, sizeof size);
  return size;
}

Error bad_gzip(size_t offset, const char* why) {
  return fail(ErrorCode::InvalidInput, "bad gzip data at offset " + std::to_string(offset) + ": " + why,
              "get the file again");
}

Error too_large(size_t offset, size_t limit) {
  return fail(ErrorCode::ResourceExhausted,
              "gzip data at offset " + std::to_string(offset) + " expands to more than " + std::to_string(limit) + " bytes",
              "no profile compresses that well; if this one does, decompress it with gunzip first");
}

// What the first `compressed_bytes` may expand to.
size_t inflate_limit(size_t compressed_bytes) { return kInflateAllowance + compressed_bytes * kMaxInflateRatio; }

// Appends one member to `out` and returns how many bytes of `input` it took.
Result<size_t> inflate_member(libdeflate_decompressor* decompressor, std::span<const std::byte> input, size_t offset,
                              size_t limit, Bytes& out) {
  const size_t before = out.size();
  size_t room = std::clamp<size_t>(claimed_size(input), 256, std::max<size_t>(limit - before, 256));
  for (;;) {
    out.resize(before + room);
    size_t consumed = 0;
    size_t produced = 0;
    const libdeflate_result status = libdeflate_gzip_decompress_ex(decompressor, input.data(), input.size(),
                                                                   out.data() + before, room, &consumed, &produced);
    if (status == LIBDEFLATE_SUCCESS) {
      out.resize(before + produced);
      return consumed;
    }
    if (status != LIBDEFLATE_INSUFFICIENT_SPACE) return bad_gzip(offset, "truncated or corrupt");
    if (before + room >= limit) return too_large(offset, limit);
    room = std::min(room * 4, limit - before);
  }
}

}  // namespace

bool is_gzip(std::span<const std::byte> head) {
  return head.size() >= 2 && head[0] == std::byte{0x1f} && head[1] == std::byte{0x8b};
}

Result<Bytes> gunzip(std::span<const std::byte> compressed, size_t most) {
  const Decompressor decompressor(libdeflate_alloc_decompressor(), &libdeflate_free_decompressor);
  CHECK(decompressor != nullptr);
  const size_t limit = std::min(inflate_limit(compressed.size()), most);
  Bytes out;
  size_t offset = 0;
  do {
    if (compressed.size() - offset < kMinMemberBytes) return bad_gzip(offset, "ends in the middle of a member");
    const size_t member = offset;
    offset += TRY(inflate_member(decompressor.get(), compressed.subspan(member), member, limit, out));
    // A bomb of many members is noticed at the first of them, not when all the room for the whole file is used up.
    if (out.size() > inflate_limit(offset)) return too_large(member, inflate_limit(offset));
  } while (offset < compressed.size() && is_gzip(compressed.subspan(offset)));
  return out;
}

std::string gzip(std::string_view bytes, int level) {
  const Compressor compressor(libdeflate_alloc_compressor(level), &libdeflate_free_compressor);
  CHECK(compressor != nullptr);
  std::string out(libdeflate_gzip_compress_bound(compressor.get(), bytes.size()), '\0');
  out.resize(libdeflate_gzip_compress(compressor.get(), bytes.data(), bytes.size(), out.data(), out.size()));
  return out;
}

}  // namespace atys
