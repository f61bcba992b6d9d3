// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/byte_sink.h"
#include "base/result.h"
#include "profile/profile.h"

namespace atys::format::collapsed {

// Writes one line per distinct stack, sorted by the bytes of the stack; stacks whose values add up to 0 are left out.
Result<> write_collapsed(const Profile& profile, size_t value_column, ByteSink& sink);

}  // namespace atys::format::collapsed
