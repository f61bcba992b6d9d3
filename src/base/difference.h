// SPDX-License-Identifier: Apache-2.0
// Of figures that come late, or from two clocks: what is left is never below zero.
#pragma once

#include <algorithm>
#include <cstdint>

namespace atys {

constexpr uint64_t difference_or_zero(uint64_t all, uint64_t part) { return all - std::min(all, part); }

}  // namespace atys
