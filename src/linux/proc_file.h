// SPDX-License-Identifier: Apache-2.0
// Small files of /proc, /sys and their like: read whole, bounded, never followed into something that blocks.
#pragma once

#include <string>

#include "base/result.h"

namespace atys::linux {

// Everything the file holds, up to `limit` bytes; more is an error.
Result<std::string> read_proc_file(const std::string& path, size_t limit = size_t{64} << 20);

}  // namespace atys::linux
