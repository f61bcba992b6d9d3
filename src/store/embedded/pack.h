// SPDX-License-Identifier: Apache-2.0
// Compresses blocks and chunks: one Zstandard frame each, with its size and a checksum inside, so that bytes that went bad
// on disk are noticed.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace atys::store {

// The most that one block or chunk may hold uncompressed. Writers stay far below; it bounds what damage can make us
// allocate.
inline constexpr size_t kMaxUnpacked = size_t{64} << 20;

enum class Effort { Quick, Thorough };  // for what is rewritten within minutes, and for what is kept

std::string pack(std::string_view bytes, Effort effort);
Result<std::string> unpack(std::string_view packed);

}  // namespace atys::store
