// SPDX-License-Identifier: Apache-2.0
// Why a recording ended.
#pragma once

namespace atys::capture {

enum class EndReason { Running, Duration, TargetEnded, Samples, Interrupted, Settled };
const char* to_string(EndReason reason);  // as a person reads it

}  // namespace atys::capture
