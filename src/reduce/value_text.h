// SPDX-License-Identifier: Apache-2.0
// Values for people: 1,234,567 ns as "1.23 ms", 3,500,000 bytes as "3.34 MiB", 20000 counts as "20,000".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace atys::reduce {

std::string value_text(int64_t value, std::string_view unit);

// "12.3%"; of nothing: "0%".
std::string share_text(double part, double whole);

}  // namespace atys::reduce
