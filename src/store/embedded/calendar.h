// SPDX-License-Identifier: Apache-2.0
// Minutes, hours and days of Unix time in nanoseconds, and the names of the files of days.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace atys::store {

inline constexpr int64_t kMinuteNs = 60'000'000'000;
inline constexpr int64_t kHourNs = 60 * kMinuteNs;
inline constexpr int64_t kDayNs = 24 * kHourNs;
inline constexpr int kMinutesOfDay = 1440;

// The beginning of the minute, hour or day that `time_ns` is in; right before 1970, too.
constexpr int64_t floor_to(int64_t time_ns, int64_t unit_ns) {
  const int64_t rest = time_ns % unit_ns;
  return time_ns - (rest < 0 ? rest + unit_ns : rest);
}

// Days are named by their beginning: "2026-11-15.db".
std::string day_file_name(int64_t day_ns);
std::optional<int64_t> day_of_file_name(std::string_view name);

}  // namespace atys::store
