// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/result.h"

namespace atys {

// Puts a file that is complete and on disk into the place of another, or of none, and has the folder on disk as well: it is
// there after a power cut.
Result<> replace_file(const std::string& from, const std::string& to);

}  // namespace atys
