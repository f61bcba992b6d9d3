// SPDX-License-Identifier: Apache-2.0
// Whether a profile can be kept where it is meant to be: better known before the command runs than when it has run.
#pragma once

#include <string>

#include "base/result.h"

namespace atys::verbs {

// Empty: the local library. "-": standard output, which is always good.
Result<> check_place(const std::string& path);

}  // namespace atys::verbs
