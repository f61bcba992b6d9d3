// SPDX-License-Identifier: Apache-2.0
// How a follow-up question is written for who reads the answer: as a command for a shell, or as a call of a tool.
#pragma once

#include <string>

#include "verbs/view/follow_up.h"

namespace atys::present {

using FollowUpText = std::string (*)(const verbs::FollowUp& follow_up);

}  // namespace atys::present
