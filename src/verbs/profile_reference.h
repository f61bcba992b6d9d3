// SPDX-License-Identifier: Apache-2.0
// How a user names a profile: a file in any format we read, "-" for standard input, an id of the library or its first
// digits, or a service of a fleet, service:NAME[{KEY=VALUE,…}][@FROM..TO] (fleet/service_query.h).
#pragma once

#include <string>

#include "base/result.h"
#include "format/format.h"
#include "profile/profile.h"

namespace atys::verbs {

struct LoadedProfile {
  Profile profile;
  std::string id;    // in the library; empty for files
  std::string name;  // for titles: the file name or the short id
};

// `times`: of files; the library and controllers keep what they were given.
Result<LoadedProfile> load_profile(const std::string& reference, format::Times times = format::Times::AsRead);

}  // namespace atys::verbs
