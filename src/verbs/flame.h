// SPDX-License-Identifier: Apache-2.0
// A flame graph of a profile, as a page or a picture.
#pragma once

#include <string>

#include "reduce/filter.h"
#include "verbs/output.h"

namespace atys::verbs {

struct FlameRequest {
  std::string profile;
  reduce::FilterOptions filter;
  Output output;  // no path: named after the profile, in the current folder
};

Result<WrittenProfile> flame(const FlameRequest& request);

}  // namespace atys::verbs
