// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "verbs/agent.h"

namespace atys::present::metrics {

// What Prometheus scrapes from an agent: itself, its tasks, and the hotspots of each instance.
std::string render(const verbs::AgentStatus& status);

}  // namespace atys::present::metrics
