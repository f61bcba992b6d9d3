// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "format/format.h"

namespace atys::format::firefox {

// The processed format of the Firefox Profiler, as JSON. Needs at least one value type.
std::string write_firefox(const Profile& profile, const WriteOptions& options);

}  // namespace atys::format::firefox
