// SPDX-License-Identifier: Apache-2.0
// Chunks of a JFR file that is still being written: each is complete in itself and says how long it is.
#pragma once

#include <cstddef>
#include <span>

#include "base/bytes.h"
#include "base/result.h"

namespace atys::capture::java {

// How many of `bytes` are complete chunks; the last may still be written. InvalidInput: these are no chunks.
Result<size_t> complete_chunks(std::span<const std::byte> bytes);

}  // namespace atys::capture::java
