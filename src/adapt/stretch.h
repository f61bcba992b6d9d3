// SPDX-License-Identifier: Apache-2.0
// How stretches (frequency.h) are numbered: in fours. The first number is of the windows that are alike. The others are of
// the window after them in which something changed: what was still as before, what may be of either, and what was as it is
// from then on.
#pragma once

#include <cstdint>

namespace atys::adapt {

enum class Role : uint8_t { Alike, Before, Mixed, After };

inline constexpr uint64_t kRoles = 4;

inline Role role_of(uint64_t stretch) { return static_cast<Role>(stretch % kRoles); }
inline uint64_t with_role(uint64_t stretch, Role role) { return stretch - stretch % kRoles + static_cast<uint64_t>(role); }
inline uint64_t next_stretch(uint64_t stretch) { return with_role(stretch, Role::Alike) + kRoles; }

}  // namespace atys::adapt
