// SPDX-License-Identifier: Apache-2.0
// The folder that an agent or a controller was given for its own.
#pragma once

#include <string>

#include "base/result.h"

namespace atys::verbs {

// Made for this user alone (0700), with the folders above it. One that is there is left as it is: it may be anybody's.
Result<> make_data_folder(const std::string& path);

}  // namespace atys::verbs
