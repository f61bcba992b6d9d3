// SPDX-License-Identifier: Apache-2.0
#include "base/zip.h"

#include <libdeflate.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <string>

namespace atys {

namespace {

// Of the format's own description: signatures, sizes of the fixed parts, and where the fields are that we need.
constexpr uint32_t kEndSignature = 0x06054b50;
constexpr uint32_t kEntrySignature = 0x02014b50;
constexpr uint32_t kLocalSignature = 0x04034b50;
constexpr size_t kEndSize = 22;
constexpr size_t kEntrySize = 46;
constexpr size_t kLocalSize = 30;
constexpr size_t kLongestComment = 65535;
constexpr uint16_t kStored = 0;
constexpr uint16_t kDeflated = 8;
constexpr uint16_t kEncrypted = 1;  // a flag

using Archive = std::span<const std::byte>;

Error bad_zip(const char* why) { return fail(ErrorCode::InvalidInput, std::string("bad zip archive: ") + why); }

// Little-endian; callers have checked that it is inside.
template <typename Number>
Number number_at(Archive bytes, size_t offset) {
  Number number = 0;
  for (size_t i = sizeof number; i-- > 0;)
    number = static_cast<Number>(number << 8 | std::to_integer<Number>(bytes[offset + i]));
  return number;
}

struct Entry {
  uint16_t flags = 0;
  uint16_t method = 0;
  uint32_t checksum = 0;
  uint32_t packed_size = 0;
  uint32_t size = 0;
  uint32_t local_offset = 0;
};

std::optional<size_t> find_end(Archive archive) {
  if (archive.size() < kEndSize) return {};
  const size_t last = archive.size() - kEndSize;
  const size_t first = last - std::min(last, kLongestComment);
  for (size_t at = last + 1; at-- > first;)
    if (number_at<uint32_t>(archive, at) == kEndSignature) return at;
  return {};
}

Result<Entry> find_entry(Archive archive, std::string_view name) {
  const auto end = find_end(archive);
  if (!end) return bad_zip("no end record");
  size_t left = number_at<uint16_t>(archive, *end + 10);
  size_t at = number_at<uint32_t>(archive, *end + 16);
  for (; left > 0; --left) {
    if (at > *end || *end - at < kEntrySize) return bad_zip("the directory ends early");
    if (number_at<uint32_t>(archive, at) != kEntrySignature) return bad_zip("no entry where the directory says");
    const size_t name_size = number_at<uint16_t>(archive, at + 28);
    const size_t whole =
        kEntrySize + name_size + number_at<uint16_t>(archive, at + 30) + number_at<uint16_t>(archive, at + 32);
    if (*end - at < whole) return bad_zip("the directory ends early");
    if (name_size == name.size() && std::memcmp(archive.data() + at + kEntrySize, name.data(), name_size) == 0)
      return Entry{.flags = number_at<uint16_t>(archive, at + 8),
                   .method = number_at<uint16_t>(archive, at + 10),
                   .checksum = number_at<uint32_t>(archive, at + 16),
                   .packed_size = number_at<uint32_t>(archive, at + 20),
                   .size = number_at<uint32_t>(archive, at + 24),
                   .local_offset = number_at<uint32_t>(archive, at + 42)};
    at += whole;
  }
  return fail(ErrorCode::NotFound, "no " + std::string(name) + " in the archive");
}

Result<Archive> packed_bytes(Archive archive, const Entry& entry) {
  const size_t at = entry.local_offset;
  if (at > archive.size() || archive.size() - at < kLocalSize) return bad_zip("an entry is outside");
  if (number_at<uint32_t>(archive, at) != kLocalSignature) return bad_zip("no file where its entry says");
  const size_t header = kLocalSize + number_at<uint16_t>(archive, at + 26) + number_at<uint16_t>(archive, at + 28);
  if (archive.size() - at < header || archive.size() - at - header < entry.packed_size)
    return bad_zip("a file ends outside");
  return archive.subspan(at + header, entry.packed_size);
}

Result<Bytes> unpack(Archive packed, const Entry& entry) {
  Bytes out(entry.size);
  if (entry.method == kStored) {
    if (packed.size() != out.size()) return bad_zip("two sizes of one file");
    std::ranges::copy(packed, out.begin());
    return out;
  }
  if (entry.method != kDeflated) return fail(ErrorCode::Unsupported, "a zip entry is packed in an unusual way");
  const std::unique_ptr<libdeflate_decompressor, decltype(&libdeflate_free_decompressor)> decompressor(
      libdeflate_alloc_decompressor(), &libdeflate_free_decompressor);
  CHECK(decompressor != nullptr);
  const auto status =
      libdeflate_deflate_decompress(decompressor.get(), packed.data(), packed.size(), out.data(), out.size(), nullptr);
  if (status != LIBDEFLATE_SUCCESS) return bad_zip("a file is corrupt");
  return out;
}

}  // namespace

Result<Bytes> read_zip_entry(std::span<const std::byte> archive, std::string_view name, size_t limit) {
  const Entry entry = TRY(find_entry(archive, name));
  if ((entry.flags & kEncrypted) != 0) return fail(ErrorCode::Unsupported, "a zip entry is encrypted");
  if (entry.size > limit)
    return fail(ErrorCode::ResourceExhausted,
                std::string(name) + " in the archive is larger than " + std::to_string(limit) + " bytes");
  Bytes out = TRY(unpack(TRY(packed_bytes(archive, entry)), entry));
  if (libdeflate_crc32(0, out.data(), out.size()) != entry.checksum) return bad_zip("a checksum is wrong");
  return out;
}

}  // namespace atys
