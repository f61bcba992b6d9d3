// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "base/result.h"
#include "profile/profile.h"

namespace atys::format::speedscope {

// A file holds several profiles: those of different units become value types, those of different names, threads.
Result<Profile> read_speedscope(std::string_view text);

}  // namespace atys::format::speedscope
