// SPDX-License-Identifier: Apache-2.0
// The six units of speedscope, and ours beside them.
#pragma once

#include <cstdint>
#include <string_view>

namespace atys::format::speedscope {

struct Unit {
  std::string_view name;   // in speedscope
  std::string_view alias;  // how else profiles spell it
  int64_t scale;           // in how many of our units one of it is
  std::string_view type;   // the value type that it becomes, where the file does not tell
  std::string_view unit;
};

inline constexpr Unit kUnits[] = {
    {"none", "count", 1, "samples", "count"},
    {"nanoseconds", "ns", 1, "time", "nanoseconds"},
    {"microseconds", "us", 1'000, "time", "nanoseconds"},
    {"milliseconds", "ms", 1'000'000, "time", "nanoseconds"},
    {"seconds", "s", 1'000'000'000, "time", "nanoseconds"},
    {"bytes", "byte", 1, "space", "bytes"},
};

// Null: no such unit.
inline const Unit* find_unit(std::string_view name) {
  for (const Unit& unit : kUnits) {
    if (unit.name == name) return &unit;
  }
  return nullptr;
}

// What a value type's unit is called in speedscope.
inline std::string_view unit_name(std::string_view profile_unit) {
  for (const Unit& unit : kUnits) {
    if (unit.name == profile_unit || unit.alias == profile_unit) return unit.name;
  }
  return "none";
}

}  // namespace atys::format::speedscope
