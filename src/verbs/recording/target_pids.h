// SPDX-License-Identifier: Apache-2.0
// The processes that a rule fits at this moment, for who has to look at them before they are recorded.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace atys::verbs {

Result<std::vector<int>> pids_of_service(const std::string& rule);

// They and all that descends from them.
std::vector<int> with_children(const std::vector<int>& pids);

}  // namespace atys::verbs
