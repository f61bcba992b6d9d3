// SPDX-License-Identifier: Apache-2.0
// What stacks have to do with a function that somebody asks for by the name that was shown for it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "profile/profile.h"

namespace atys::store {

inline constexpr uint8_t kPassesFunction = 1;
inline constexpr uint8_t kEndsInFunction = 2;

// By the numbers of the profile's stacks.
std::vector<uint8_t> stacks_of_function(const Profile& profile, const std::string& function);

// As merging adds: what overflows goes round.
inline void add_value(int64_t& sum, int64_t value) {
  sum = static_cast<int64_t>(static_cast<uint64_t>(sum) + static_cast<uint64_t>(value));
}

}  // namespace atys::store
