// SPDX-License-Identifier: Apache-2.0
#include "store/embedded/calendar.h"

#include <fmt/format.h>

#include <charconv>
#include <chrono>

namespace atys::store {

using std::chrono::sys_days;

std::string day_file_name(int64_t day_ns) {
  const std::chrono::year_month_day date{sys_days{std::chrono::days{floor_to(day_ns, kDayNs) / kDayNs}}};
  return fmt::format("{:04}-{:02}-{:02}.db", static_cast<int>(date.year()), static_cast<unsigned>(date.month()),
                     static_cast<unsigned>(date.day()));
}

std::optional<int64_t> day_of_file_name(std::string_view name) {
  if (name.size() != 13) return std::nullopt;
  const auto number = [&](size_t begin, size_t size) {
    unsigned value = 0;
    std::from_chars(name.data() + begin, name.data() + begin + size, value);
    return value;
  };
  const std::chrono::year_month_day date{std::chrono::year{static_cast<int>(number(0, 4))}, std::chrono::month{number(5, 2)},
                                         std::chrono::day{number(8, 2)}};
  if (!date.ok()) return std::nullopt;
  const int64_t day = sys_days{date}.time_since_epoch().count() * kDayNs;
  return day_file_name(day) == name ? std::optional(day) : std::nullopt;
}

}  // namespace atys::store
