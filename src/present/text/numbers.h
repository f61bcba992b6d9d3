// SPDX-License-Identifier: Apache-2.0
// Numbers as people read them in a terminal.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "reduce/value_text.h"

namespace atys::present::text {

// In place of an interval where nothing says how many samples there were.
inline constexpr std::string_view kUnknown = "unknown";

using reduce::quantity;
std::string percent(double value);                   // "12.34%"
std::string signed_percent(double value);            // "+1.20%"
std::string percent_range(double low, double high);  // "11.9..12.8", or kUnknown
std::string duration(int64_t nanoseconds);           // "4m0s"

// Any bytes as one line of printable text.
std::string one_line(std::string_view raw);

// A name as one line of printable text, shortened in the middle where it is longer than `most` characters. A name that could
// be read as something else, prose or what is around it, is in quotes.
std::string name(std::string_view raw, size_t most = 120);
// Whether a name holds what names do not: unprintable characters, quotes, line breaks, or as many words as a sentence.
bool is_odd_name(std::string_view raw);

// A line of source code as one line of printable text.
inline std::string code(std::string_view raw) { return one_line(raw); }

}  // namespace atys::present::text
