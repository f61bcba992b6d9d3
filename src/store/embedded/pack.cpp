// SPDX-License-Identifier: Apache-2.0
#include "store/embedded/pack.h"

#include <zstd.h>

#include <memory>

namespace atys::store {

namespace {

struct FreeContext {
  void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
  void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
};

// Contexts are some hundred kilobytes to set up: one per thread, made when it first needs one.
ZSTD_CCtx* compressor() {
  thread_local const std::unique_ptr<ZSTD_CCtx, FreeContext> context(ZSTD_createCCtx());
  return context.get();
}

ZSTD_DCtx* decompressor() {
  thread_local const std::unique_ptr<ZSTD_DCtx, FreeContext> context(ZSTD_createDCtx());
  return context.get();
}

}  // namespace

std::string pack(std::string_view bytes, Effort effort) {
  ZSTD_CCtx* context = compressor();
  CHECK(context != nullptr);
  ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, effort == Effort::Quick ? 1 : 3);
  ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
  std::string packed(ZSTD_compressBound(bytes.size()), '\0');
  const size_t size = ZSTD_compress2(context, packed.data(), packed.size(), bytes.data(), bytes.size());
  CHECK(!ZSTD_isError(size));  // the output is large enough, and nothing else can go wrong
  packed.resize(size);
  packed.shrink_to_fit();
  return packed;
}

Result<std::string> unpack(std::string_view packed) {
  const unsigned long long size = ZSTD_getFrameContentSize(packed.data(), packed.size());
  if (size == ZSTD_CONTENTSIZE_ERROR || size == ZSTD_CONTENTSIZE_UNKNOWN) {
    return fail(ErrorCode::InvalidInput, "not a compressed block");
  }
  if (size > kMaxUnpacked) return fail(ErrorCode::InvalidInput, "compressed block says that it is too large");
  ZSTD_DCtx* context = decompressor();
  CHECK(context != nullptr);
  std::string bytes(static_cast<size_t>(size), '\0');
  const size_t got = ZSTD_decompressDCtx(context, bytes.data(), bytes.size(), packed.data(), packed.size());
  if (ZSTD_isError(got) || got != bytes.size()) {
    return fail(ErrorCode::InvalidInput,
                std::string("compressed block is damaged: ") + (ZSTD_isError(got) ? ZSTD_getErrorName(got) : "too short"));
  }
  return bytes;
}

}  // namespace atys::store
