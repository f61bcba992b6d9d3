// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "base/result.h"
#include "format/otlp/message.h"
#include "profile/profile.h"

namespace atys::format::otlp {

// One profile of all messages of a file. Profiles of one scope that are columns of the same rows are joined (join.h); all
// else gets rows of its own.
Result<Profile> to_profile(std::vector<message::ProfilesData> messages);

}  // namespace atys::format::otlp
