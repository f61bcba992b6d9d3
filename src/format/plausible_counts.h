// SPDX-License-Identifier: Apache-2.0
// Formats that have one number for a stack and do not say of what: most who write them count samples, some write
// nanoseconds, cycles or bytes, which would be taken for a certainty that nobody has.
#pragma once

#include <cstdint>
#include <span>

namespace atys::format {

// Whether the numbers of a file can be counts of samples. They cannot where
//   - the rarest stack was seen more than 1,000 times,
//   - there are more than 1,000,000 in all, and not one stack in twenty was seen once: real samples have a long tail,
//   - there are twenty or more, all multiples of one number.
bool may_count_samples(std::span<const int64_t> values);

// What such a number is called where it cannot: a value of unknown unit.
inline constexpr char kValueOfUnknownUnit[] = "value";

}  // namespace atys::format
