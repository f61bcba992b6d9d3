// SPDX-License-Identifier: Apache-2.0
// Labels as text, for grouping, filtering and showing.
#pragma once

#include <string>
#include <string_view>

#include "profile/profile.h"

namespace atys::reduce {

// The value of one label, with its unit: "GET /", "4096 bytes", "0.5".
std::string value_text(const Profile& profile, const profile::Label& label);

// The values of a key in a set, joined by commas; "(none)" if the set has none.
std::string label_text(const Profile& profile, profile::LabelSetId labels, std::string_view key);

// Which thread a set speaks of, by whichever of the usual keys it has; "(none)" if it has none of them.
std::string thread_text(const Profile& profile, profile::LabelSetId labels);

}  // namespace atys::reduce
