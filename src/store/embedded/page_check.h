// SPDX-License-Identifier: Apache-2.0
// How damage in a file of SQLite is noticed: every page has a checksum in its last eight bytes, every frame of the log one
// in its header (which SQLite itself looks at only when a log is taken up again). Pure: bytes in, verdict out.
#pragma once

#include <cstdint>
#include <span>

namespace atys::store {

using ByteView = std::span<const uint8_t>;

inline constexpr int kChecksumBytes = 8;
inline constexpr int kHeaderBytes = 100;  // of a database
inline constexpr int kLogHeaderBytes = 32;
inline constexpr int kFrameHeaderBytes = 24;

// Whether the pages of a file with this header have checksums. Files of the first version have none; a single bit that is
// wrong does not make one of the other.
bool has_checksums(ByteView header);

// `number` counts pages from 0: a page at the wrong place is damage too.
uint64_t page_checksum(ByteView page, uint64_t number);
bool is_page_intact(ByteView page, uint64_t number);

// `before`: the header of the frame before, or of the log. Page sizes as they are in files.
bool is_frame_intact(ByteView log_header, ByteView before, ByteView frame_header, ByteView page);

// What of a log that nobody has open would not be taken up: transactions that were written to their end after the first
// frame that is damaged. More than none: something that was stored may be missing.
uint64_t lost_transactions(ByteView log);

}  // namespace atys::store
