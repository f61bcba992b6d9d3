// SPDX-License-Identifier: Apache-2.0
// Follow-up questions as a client of tools can ask them: profile_summary {"form":"tree","profile":"X"}.
#pragma once

#include <string>

#include "verbs/view/follow_up.h"

namespace atys::present::mcp {

std::string call_of(const verbs::FollowUp& follow_up);

}  // namespace atys::present::mcp
