// SPDX-License-Identifier: Apache-2.0
// Values for people, in two forms that share what they know of units: one for sentences and one for columns.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace atys::reduce {

// For sentences, three digits and the unit: "1.23 ms", "1.50 min", "3.34 MiB", "20,000", "5 cycles".
std::string value_text(int64_t value, std::string_view unit);

// For columns and lines of terminals, two decimals, ASCII, nothing longer than a second and no unit that the heading says:
// "1.25s", "3.40us", "12.00MiB", "1,234,567".
std::string quantity(double value, std::string_view unit);

// "12.3%"; of nothing: "0%".
std::string share_text(double part, double whole);

}  // namespace atys::reduce
