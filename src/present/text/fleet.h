// SPDX-License-Identifier: Apache-2.0
// What a controller answers, as text for people.
#pragma once

#include <string>

#include "present/follow_up_text.h"
#include "verbs/profiles/fleet_answers.h"

namespace atys::present::text {

std::string render(const verbs::ServicesAnswer& answer, FollowUpText as = verbs::command_of);
std::string render(const verbs::NodesAnswer& answer);
std::string render(const verbs::TasksAnswer& answer);

}  // namespace atys::present::text
