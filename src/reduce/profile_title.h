// SPDX-License-Identifier: Apache-2.0
// What to write above a picture of a profile that nobody gave a title: the program it is of.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "profile/profile.h"

namespace atys::reduce {

std::string profile_title(const Profile& profile);

// How many samples the column to look at first rests on, where that is known (sample_count.h).
std::optional<int64_t> sample_count(const Profile& profile);

}  // namespace atys::reduce
