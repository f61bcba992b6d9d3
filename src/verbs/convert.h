// SPDX-License-Identifier: Apache-2.0
// The same profile in another format, or kept in the library.
#pragma once

#include <string>

#include "reduce/filter.h"
#include "verbs/profiles/output.h"

namespace atys::verbs {

struct ConvertRequest {
  std::string profile;
  reduce::FilterOptions filter;
  Output output;
};

Result<WrittenProfile> convert(const ConvertRequest& request);

}  // namespace atys::verbs
