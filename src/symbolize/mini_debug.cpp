// SPDX-License-Identifier: Apache-2.0
#include "symbolize/mini_debug.h"

#include <lzma.h>

#include <span>

namespace atys::symbolize {

namespace {

constexpr uint64_t kMostWorkingMemory = uint64_t{128} << 20;
constexpr size_t kLargestImage = size_t{256} << 20;
constexpr size_t kStep = size_t{1} << 20;

struct Decoder {
  lzma_stream stream = LZMA_STREAM_INIT;
  ~Decoder() { lzma_end(&stream); }
};

Result<Bytes> unpack_xz(std::span<const std::byte> packed, const std::string& name) {
  Decoder decoder;
  if (lzma_stream_decoder(&decoder.stream, kMostWorkingMemory, 0) != LZMA_OK)
    return fail(ErrorCode::ResourceExhausted, name + ": xz cannot start");
  decoder.stream.next_in = reinterpret_cast<const uint8_t*>(packed.data());
  decoder.stream.avail_in = packed.size();
  Bytes image;
  size_t used = 0;
  while (true) {
    if (used > kLargestImage) return fail(ErrorCode::ResourceExhausted, name + ": .gnu_debugdata is too large");
    image.resize(used + kStep);
    decoder.stream.next_out = reinterpret_cast<uint8_t*>(image.data() + used);
    decoder.stream.avail_out = kStep;
    const lzma_ret state = lzma_code(&decoder.stream, LZMA_FINISH);
    used += kStep - decoder.stream.avail_out;
    if (state == LZMA_STREAM_END) break;
    if (state != LZMA_OK) return fail(ErrorCode::InvalidInput, name + ": .gnu_debugdata is damaged");
  }
  image.resize(used);
  return image;
}

}  // namespace

Result<ElfFile> open_mini_debug(const ElfFile& file) {
  const auto section = file.section(".gnu_debugdata", kLargestImage);
  if (!section) return fail(ErrorCode::NotFound, file.name() + ": no .gnu_debugdata");
  return ElfFile::parse(TRY(unpack_xz(section->bytes, file.name())), file.name() + " (.gnu_debugdata)");
}

}  // namespace atys::symbolize
