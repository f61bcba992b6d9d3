// SPDX-License-Identifier: Apache-2.0
// The profiled runs of a comparison: other runs than the timed ones, in turns as well, and what differs between them.
#pragma once

#include "reduce/random.h"
#include "verbs/compare.h"
#include "verbs/comparison/timed_blocks.h"

namespace atys::verbs {

// Fills what the answer says of functions and headroom. That nothing can be recorded here is an answer, too.
Result<> profile_blocks(const CommandPair& commands, const CompareRequest& request, const TimingLimits& limits,
                        reduce::Random& random, CompareAnswer& answer);

}  // namespace atys::verbs
