// SPDX-License-Identifier: Apache-2.0
#include "format/jfr/chunk.h"

namespace atys::format::jfr {

namespace {

constexpr uint64_t kMajorVersion = 2;
constexpr uint64_t kCompressedIntegers = 1;

}  // namespace

Result<Chunk> read_chunk(std::string_view file, size_t begin) {
  if (file.size() - begin < kHeaderBytes) return bad_data(begin, "the header of a chunk ends early");
  if (file.substr(begin, kMagic.size()) != kMagic) return bad_data(begin, "no chunk begins here");
  Cursor header(file, begin + kMagic.size(), begin + kHeaderBytes, Encoding::Plain);
  const uint64_t major = header.fixed(2);
  header.skip(2);
  if (major != kMajorVersion) {
    return fail(
        ErrorCode::Unsupported,
        "JFR version " + std::to_string(major) + " at offset " + std::to_string(begin) + " is not one that Atys reads",
        "record with Java 11 or newer, or with async-profiler");
  }
  const uint64_t size = header.fixed(8);
  header.skip(8);  // the last of the checkpoints; all of them are met on the way through the events
  const uint64_t metadata = header.fixed(8);
  Chunk chunk{.begin = begin};
  chunk.start_ns = static_cast<int64_t>(header.fixed(8));
  chunk.duration_ns = static_cast<int64_t>(header.fixed(8));
  chunk.start_ticks = static_cast<int64_t>(header.fixed(8));
  chunk.ticks_per_second = static_cast<int64_t>(header.fixed(8));
  if ((header.fixed(4) & kCompressedIntegers) != 0) chunk.encoding = Encoding::Compressed;
  if (size == 0 || metadata == 0) return bad_data(begin, "the recording of this chunk was not finished");
  if (size < kHeaderBytes || size > file.size() - begin)
    return bad_data(begin + 8, "the size of the chunk does not fit the file");
  if (metadata < kHeaderBytes || metadata >= size) return bad_data(begin + 24, "the metadata are outside of the chunk");
  if (chunk.ticks_per_second <= 0) return bad_data(begin + 56, "ticks per second have to be positive");
  chunk.end = begin + size;
  chunk.metadata = begin + metadata;
  return chunk;
}

Result<Event> read_event(std::string_view file, const Chunk& chunk, size_t at) {
  Cursor head(file, at, chunk.end, chunk.encoding);
  const auto size = static_cast<uint32_t>(head.int_value());
  if (!head.ok() || size == 0 || size > chunk.end - at) return bad_data(at, "an event has to end inside of its chunk");
  Cursor event(file, head.offset(), at + size, chunk.encoding);
  const auto type = static_cast<uint64_t>(event.long_value());
  if (head.offset() > at + size || !event.ok()) return bad_data(at, "an event is shorter than its own head");
  return Event{.begin = at, .body = event.offset(), .end = at + size, .type = type};
}

}  // namespace atys::format::jfr
