// SPDX-License-Identifier: Apache-2.0
// How a function makes room for itself on the stack.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace atys::unwind {

// x86_64: by how much sp is lowered at least by this code, which runs from its first instruction on. Stops at the first
// instruction that is not known; what comes behind it can only lower sp more, in a function that calls from there.
uint64_t least_lowering(std::span<const std::byte> code);

}  // namespace atys::unwind
