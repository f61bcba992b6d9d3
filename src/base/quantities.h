// SPDX-License-Identifier: Apache-2.0
// Quantities as people write them: "500ms", "1.5%", "99".
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "base/result.h"

namespace atys {

// Nanoseconds from "10s", "500ms", "2m", "1h", "3d", "100us"; a number alone is seconds.
Result<uint64_t> parse_duration(const std::string& text);

// A share from "1%", "0.5%" or "1" (percent as well).
Result<double> parse_percent(const std::string& text);

// "99", "99Hz", "4.9kHz"
Result<double> parse_frequency(const std::string& text);

// Bytes from "64MB", "1.5GiB", "4096".
Result<uint64_t> parse_bytes(const std::string& text);

// "KEY=VALUE"
Result<std::pair<std::string, std::string>> parse_label(const std::string& text);

}  // namespace atys
