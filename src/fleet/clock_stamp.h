// SPDX-License-Identifier: Apache-2.0
// What a window's times rest on: by how much this machine's clock, which may be wrong and may jump, was ahead of the time
// since it was booted, which does neither. Whoever learns later what time it was all along can put the window right.
#pragma once

#include <compare>
#include <cstdint>
#include <string>

namespace atys::fleet {

struct ClockStamp {
  std::string boot;           // which time this machine was booted: hexadecimal digits
  int64_t wall_ahead_ns = 0;  // Unix time, as the machine had it, minus the time since boot

  bool operator==(const ClockStamp&) const = default;
};

}  // namespace atys::fleet
