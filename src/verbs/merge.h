// SPDX-License-Identifier: Apache-2.0
// Many profiles as one.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "verbs/profiles/output.h"

namespace atys::verbs {

struct MergeRequest {
  std::vector<std::string> profiles;
  Output output;
  std::function<void(size_t done, size_t all)> on_progress;  // called from any thread, one at a time
};

struct MergeAnswer {
  WrittenProfile written;
  size_t profiles = 0;
  std::vector<std::string> mixed_value_types;  // types that some of the profiles lack: their sums are not of all profiles
};

// Reads on all cores. Fails as a whole if any profile cannot be read.
Result<MergeAnswer> merge(const MergeRequest& request);

}  // namespace atys::verbs
