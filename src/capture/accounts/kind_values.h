// SPDX-License-Identifier: Apache-2.0
// What the values of a recording are called, and what lies between two of its samples: what the table of kinds says, and of
// events what they count.
#pragma once

#include <cstdint>

#include "capture/native/profile_builder.h"
#include "capture/recording_plan.h"

namespace atys::capture {

native::ValueNames value_names(const Kind& kind);

// In the unit of the weight.
int64_t sample_period(const Kind& kind, uint64_t period_ns);

}  // namespace atys::capture
