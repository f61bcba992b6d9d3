// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/result.h"

namespace atys {

// From the system's source of randomness: good enough for secrets.
Result<std::string> random_bytes(size_t count);

}  // namespace atys
