// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "base/result.h"
#include "profile/profile.h"

namespace atys::format::collapsed {

// Reads lines of `root;…;leaf COUNT`. The one value type is samples/count, unless the numbers cannot be that
// (plausible_counts.h): then they are values of unknown unit.
Result<Profile> read_collapsed(std::string_view text);

// Whether every line of `head` ends in a count and nothing in it is binary. Unless the head is all there is, its last line
// may go on and need not fit.
bool looks_collapsed(std::string_view head, bool is_all);

}  // namespace atys::format::collapsed
