// SPDX-License-Identifier: Apache-2.0
// A recording is a row of chunks, each of which can be read alone: a header, then events end to end. Two kinds of events
// tell how to read the others: one describes all classes (metadata.h), several hold constants (constant_pools.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "format/jfr/cursor.h"

namespace atys::format::jfr {

inline constexpr std::string_view kMagic{"FLR\0", 4};
inline constexpr size_t kHeaderBytes = 68;
inline constexpr uint64_t kMetadataEvent = 0;
inline constexpr uint64_t kCheckpointEvent = 1;

struct Chunk {
  size_t begin = 0;  // in the file
  size_t end = 0;
  size_t metadata = 0;   // where that event is, in the file
  int64_t start_ns = 0;  // Unix time
  int64_t duration_ns = 0;
  int64_t start_ticks = 0;       // the same moment by the clock of events
  int64_t ticks_per_second = 0;  // positive
  Encoding encoding = Encoding::Plain;
};

// The chunk that begins at `begin`.
Result<Chunk> read_chunk(std::string_view file, size_t begin);

struct Event {
  size_t begin = 0;  // of the event, in the file
  size_t body = 0;   // of its fields
  size_t end = 0;
  uint64_t type = 0;  // id of its class

  Cursor fields(std::string_view file, const Chunk& chunk) const { return {file, body, end, chunk.encoding}; }
};

// The event at `at`, which ends inside of the chunk and after its own beginning.
Result<Event> read_event(std::string_view file, const Chunk& chunk, size_t at);

// `visit(event)` for each event of the chunk, until it fails.
template <typename Visit>
Result<> for_each_event(std::string_view file, const Chunk& chunk, const Visit& visit) {
  for (size_t at = chunk.begin + kHeaderBytes; at < chunk.end;) {
    const Event event = TRY(read_event(file, chunk, at));
    TRY(visit(event));
    at = event.end;
  }
  return {};
}

}  // namespace atys::format::jfr
