// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "profile/profile.h"

namespace atys::format::pprof {

// The profile as an uncompressed pprof message.
std::string write_pprof(const Profile& profile);

}  // namespace atys::format::pprof
