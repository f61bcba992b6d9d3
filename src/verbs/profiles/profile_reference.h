// SPDX-License-Identifier: Apache-2.0
// How a user names a profile: a file in any format we read, "-" for standard input, an id of the library or its first
// digits, or a service of a fleet, service:NAME[{KEY=VALUE,…}][@FROM..TO] (fleet/service_query.h). What begins with
// "service:" is never a file, so that who may ask for the one cannot be given the other; ./service:NAME is.
#pragma once

#include <string>
#include <string_view>
#include <vector>

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

bool is_of_fleet(std::string_view reference);

// Several with commas between them; one of a fleet may have commas in its braces.
std::vector<std::string> split_at_commas(const std::string& text);
// The same, but the name of a file is one reference, whatever is in it.
std::vector<std::string> split_references(const std::string& text);

}  // namespace atys::verbs
