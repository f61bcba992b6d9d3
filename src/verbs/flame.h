// SPDX-License-Identifier: Apache-2.0
// A flame graph of a profile, or of what changed between two, as a page or a picture.
#pragma once

#include <string>
#include <vector>

#include "reduce/common_names.h"
#include "reduce/filter.h"
#include "verbs/profiles/output.h"

namespace atys::verbs {

struct FlameRequest {
  std::string profile;
  reduce::FilterOptions filter;            // of both
  Output output;                           // no path: named after the profile, in the current folder
  std::string base;                        // what to compare with; empty: nothing
  std::vector<reduce::PathMap> maps = {};  // what of the base is what of the new one, where we cannot tell
  bool is_absolute = false;                // compare values, not shares
  format::ComparedWidths widths = format::ComparedWidths::New;
};

Result<WrittenProfile> flame(const FlameRequest& request);

}  // namespace atys::verbs
