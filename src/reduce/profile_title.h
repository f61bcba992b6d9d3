// SPDX-License-Identifier: Apache-2.0
// What to write above a picture of a profile that nobody gave a title: the program it is of.
#pragma once

#include <string>

#include "profile/profile.h"

namespace atys::reduce {

std::string profile_title(const Profile& profile);

// How many samples were taken: the sum of the column that counts them, else the number of rows.
int64_t sample_count(const Profile& profile);

}  // namespace atys::reduce
