// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "base/result.h"
#include "profile/profile.h"

namespace atys::format::speedscope {

// A file holds several profiles: those of different units become value types, those of different names, threads.
// `keeps_times`: samples and events lie one after the other, in the order of the file, from `startValue` on; a row has the
// moment at which it begins. Not of files of our own, whose samples are added up already.
Result<Profile> read_speedscope(std::string_view text, bool keeps_times = false);

}  // namespace atys::format::speedscope
