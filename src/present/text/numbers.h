// SPDX-License-Identifier: Apache-2.0
// Numbers as people read them in a terminal.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "reduce/value_text.h"

namespace atys::present::text {

using reduce::quantity;
std::string percent(double value);                   // "12.34%"
std::string signed_percent(double value);            // "+1.20%"
std::string percent_range(double low, double high);  // "11.9..12.8"
std::string duration(int64_t nanoseconds);           // "4m0s"
std::string time_of(int64_t unix_ns);                // "2026-11-15T02:00:00Z"

// A name as one line of printable text, shortened in the middle where it is longer than `most` characters.
std::string name(std::string_view raw, size_t most = 120);

}  // namespace atys::present::text
