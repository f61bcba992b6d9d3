// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "base/result.h"

namespace atys {

// From the system's source of randomness: good enough for secrets.
Result<std::string> random_bytes(size_t count);

// The same without waiting, for what must not wait and can do without. False: very early after boot there is none yet.
bool fill_random(std::span<std::byte> bytes);

}  // namespace atys
