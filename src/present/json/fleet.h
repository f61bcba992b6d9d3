// SPDX-License-Identifier: Apache-2.0
// What a controller answers, as JSON.
#pragma once

#include <string>

#include "present/follow_up_text.h"
#include "verbs/profiles/fleet_answers.h"

namespace atys::present::json {

std::string render(const verbs::ServicesAnswer& answer, FollowUpText as = verbs::command_of);
std::string render(const verbs::NodesAnswer& answer);
std::string render(const verbs::TasksAnswer& answer);
std::string render(const verbs::SeriesAnswer& answer);

}  // namespace atys::present::json
