// SPDX-License-Identifier: Apache-2.0
// The phases (phases.h) of a profile whose samples have times, by what of the user's own code ran.
#pragma once

#include <vector>

#include "profile/profile.h"
#include "reduce/code_origins.h"
#include "reduce/hot_paths.h"

namespace atys::adapt {

// None: there is one phase, or too little of the profile has times.
std::vector<reduce::PhaseTimes> phases_of(const Profile& profile, size_t column, const reduce::CodeOrigins& code);

}  // namespace atys::adapt
