// SPDX-License-Identifier: Apache-2.0
// A window of a machine whose clock was off, as it would have been with a clock that was right.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace atys::fleet {

// All times of an ExportProfilesServiceRequest, and a label that says so (kClockLabel).
Result<std::string> shift_times(std::string_view otlp, int64_t shift_ns);

}  // namespace atys::fleet
