// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "base/result.h"
#include "profile/profile.h"

namespace atys::format::pprof {

// Reads an uncompressed pprof message. Ids, order and duplicates of locations and functions are kept, so that what is
// written after reading is the same profile to any other tool.
Result<Profile> read_pprof(std::string_view bytes);

}  // namespace atys::format::pprof
