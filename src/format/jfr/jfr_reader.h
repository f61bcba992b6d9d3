// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "base/result.h"
#include "profile/profile.h"

namespace atys::format::jfr {

// Reads a recording of HotSpot's Flight Recorder or of async-profiler. Samples with equal stack, thread and kind become one
// row; when each was taken is kept only if asked for. Without, memory depends on how many distinct stacks, methods and
// threads there are.
Result<Profile> read_jfr(std::string_view file, bool keeps_times = false);

}  // namespace atys::format::jfr
