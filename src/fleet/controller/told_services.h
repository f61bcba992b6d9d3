// SPDX-License-Identifier: Apache-2.0
// Whose samples are whose, in what comes from a sender whose resource names no service. Profilers of a whole host send the
// samples of all of its processes as one resource and say of each sample which service, or at least which program, it is of.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "profile/profile.h"

namespace atys::fleet {

// What OpenTelemetry calls who names no service: "unknown_service", or "unknown_service:PROGRAM".
std::string unknown_service(const std::string& program);

// The samples apart, by what they, or else the profile, say of their service or program; what says neither is of
// `otherwise`. All but the first have no losses and no overhead: these are of the whole. Where there would be more than
// `most`, what is left is of `otherwise`.
std::vector<std::pair<std::string, Profile>> by_told_service(Profile profile, const std::string& otherwise, size_t most);

}  // namespace atys::fleet
