// SPDX-License-Identifier: Apache-2.0
// By how much two machines' clocks may differ before it is told, and windows are shifted: less is lost in the seconds that a
// window takes anyway.
#pragma once

#include <cstdint>
#include <string>

namespace atys::fleet {

inline constexpr int64_t kClockToleranceNs = 10'000'000'000;

// Whether somebody (NTP, a hypervisor) keeps this machine's clock right, as the kernel knows it.
bool is_clock_synchronized();

// "2 h ahead of", "3.5 days behind": for people.
std::string clock_difference(int64_t ahead_ns);

// What to do about a clock that is off.
inline constexpr const char* kClockFix = "let chrony, systemd-timesyncd or another NTP client keep its clock";

}  // namespace atys::fleet
