// SPDX-License-Identifier: Apache-2.0
// Takes profiles out of the local library. Files elsewhere are never touched.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace atys::verbs {

struct RemoveRequest {
  std::vector<std::string> ids;
};

struct RemoveAnswer {
  std::vector<std::string> removed;  // whole ids
};

// All or nothing: an id that does not fit exactly one profile fails before any is removed.
Result<RemoveAnswer> remove(const RemoveRequest& request);

}  // namespace atys::verbs
