// SPDX-License-Identifier: Apache-2.0
// Files that only their owner may read: what others can read keeps no secret.
#pragma once

#include <string>

#include "base/result.h"

namespace atys {

// NotFound: it is not there. PermissionDenied: others can read it, or it is no plain file.
Result<std::string> read_secret(const std::string& path, size_t most_bytes);
// Whole or not at all, and on the disk when it returns.
Result<> write_secret(const std::string& path, std::string_view bytes);

}  // namespace atys
