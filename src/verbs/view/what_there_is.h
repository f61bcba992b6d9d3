// SPDX-License-Identifier: Apache-2.0
// For somebody who asked a profile for something that it has not: which value types, labels, values and functions it has.
// Everything listed is data of the profiled program: printable, bounded, and in quotes where it could be read as anything
// else.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "profile/profile.h"
#include "reduce/attribution.h"
#include "reduce/filter.h"

namespace atys::verbs {

// "a, b, 'c d' and 3 more"
std::string listed_data(const std::vector<std::string>& names);
std::string as_data(std::string_view name);

std::vector<std::string> label_keys(const Profile& profile);
// Fails where no sample carries the key.
Result<> check_label_key(const Profile& profile, const std::string& key);
Result<> check_dimension(const Profile& profile, const reduce::Dimension& by);

// Why a filter kept nothing of a profile that has samples: the first condition that by itself keeps none, and what it could
// have asked for.
Error why_nothing(const Profile& profile, const reduce::FilterOptions& filter);

}  // namespace atys::verbs
