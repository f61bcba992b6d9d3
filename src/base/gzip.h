// SPDX-License-Identifier: Apache-2.0
// Gzip in one piece: what profiles are wrapped in. Whole buffers, because libdeflate needs them and is two to three times as
// fast as a streaming inflater.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"

namespace atys {

bool is_gzip(std::span<const std::byte> head);

// Decompresses all members. A bomb is refused: profiles compress 2 to 30 times, so more than kMaxInflateRatio times the
// input (beyond a small start) is not one, and memory stays below that, and below `limit`.
Result<Bytes> gunzip(std::span<const std::byte> compressed, size_t limit = SIZE_MAX);

inline constexpr size_t kMaxInflateRatio = 100;
inline constexpr size_t kInflateAllowance = size_t{64} << 20;

// Level 1 (fast) to 12 (small).
std::string gzip(std::string_view bytes, int level = 6);

}  // namespace atys
