// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"

namespace atys {

// Unix time in nanoseconds from "2026-11-15T02:00:00Z" (fractions allowed) or from seconds since 1970.
Result<int64_t> parse_time(const std::string& text);

// "2026-11-15T02:00:00Z"; a time that no calendar has is "?".
std::string time_text(int64_t unix_ns);

}  // namespace atys
