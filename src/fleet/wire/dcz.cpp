// SPDX-License-Identifier: Apache-2.0
#include "fleet/wire/dcz.h"

#include <openssl/evp.h>
#include <zstd.h>

#include <algorithm>
#include <bit>
#include <memory>

namespace atys::fleet {

namespace {

constexpr std::string_view kMagic("\x5e\x2a\x4d\x18\x20\x00\x00\x00", 8);
constexpr int kMostWindowLog = 25;  // a dictionary and a content as long as they may be
static_assert(2 * kMostDczBytes <= size_t{1} << kMostWindowLog);

struct FreeContext {
  void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
  void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
};

Error damaged(const std::string& why) {
  return fail(ErrorCode::InvalidInput, "the message is not compressed as it says: " + why, "send it again whole");
}

}  // namespace

std::string sha256(std::string_view bytes) {
  std::string digest(kHashBytes, '\0');
  const int done = EVP_Digest(bytes.data(), bytes.size(), reinterpret_cast<unsigned char*>(digest.data()), nullptr,
                              EVP_sha256(), nullptr);
  CHECK(done == 1);
  return digest;
}

std::string pack_dcz(std::string_view bytes, const DczDictionary* dictionary, DczEffort effort) {
  const size_t before = dictionary == nullptr ? 0 : dictionary->bytes.size();
  CHECK(bytes.size() <= kMostDczBytes && before <= kMostDczBytes);
  const std::unique_ptr<ZSTD_CCtx, FreeContext> context(ZSTD_createCCtx());
  CHECK(context != nullptr);
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_compressionLevel, static_cast<int>(effort));
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_checksumFlag, 1);
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_windowLog,
                         std::max(10, static_cast<int>(std::bit_width(before + bytes.size()))));
  std::string packed;
  if (dictionary != nullptr) {
    packed.append(kMagic).append(dictionary->hash);
    ZSTD_CCtx_refPrefix(context.get(), dictionary->bytes.data(), before);
  }
  const size_t head = packed.size();
  packed.resize(head + ZSTD_compressBound(bytes.size()));
  const size_t size = ZSTD_compress2(context.get(), packed.data() + head, packed.size() - head, bytes.data(), bytes.size());
  CHECK(!ZSTD_isError(size));  // there is room, and the parameters are within their bounds
  packed.resize(head + size);
  packed.shrink_to_fit();
  return packed;
}

Result<DczHead> read_dcz_head(std::string_view packed) {
  DczHead head{.frame = packed};
  if (packed.starts_with(kMagic)) {
    if (packed.size() < kMagic.size() + kHashBytes) return damaged("it is cut off");
    head.dictionary_hash = packed.substr(kMagic.size(), kHashBytes);
    head.frame = packed.substr(kMagic.size() + kHashBytes);
  }
  // A frame that is to be skipped would be a size of 0.
  const unsigned long long size = ZSTD_getFrameContentSize(head.frame.data(), head.frame.size());
  if (size == ZSTD_CONTENTSIZE_ERROR || size == ZSTD_CONTENTSIZE_UNKNOWN) return damaged("it does not say how long it is");
  if (size > kMostDczBytes)
    return fail(ErrorCode::ResourceExhausted, "the message is larger than 16 MiB", "send it as plain OTLP");
  if (ZSTD_findFrameCompressedSize(head.frame.data(), head.frame.size()) != head.frame.size())
    return damaged("it is not one frame");
  head.content_bytes = static_cast<size_t>(size);
  return head;
}

Result<std::string> unpack_dcz(const DczHead& head, std::string_view dictionary) {
  const std::unique_ptr<ZSTD_DCtx, FreeContext> context(ZSTD_createDCtx());
  CHECK(context != nullptr);
  ZSTD_DCtx_setParameter(context.get(), ZSTD_d_windowLogMax, kMostWindowLog);
  if (!dictionary.empty()) ZSTD_DCtx_refPrefix(context.get(), dictionary.data(), dictionary.size());
  std::string bytes(head.content_bytes, '\0');
  const size_t size = ZSTD_decompressDCtx(context.get(), bytes.data(), bytes.size(), head.frame.data(), head.frame.size());
  if (ZSTD_isError(size)) return damaged(ZSTD_getErrorName(size));
  if (size != bytes.size()) return damaged("it is shorter than it says");
  return bytes;
}

}  // namespace atys::fleet
