// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "verbs/controller.h"

namespace atys::present::metrics {

// What Prometheus scrapes from a controller: its doors, its store, its nodes and services.
std::string render(const verbs::ControllerStatus& status, const verbs::NodesAnswer& nodes, uint64_t refused_tokens);

// Prometheus HTTP service discovery: where the agents' own metrics are.
std::string discovery(const verbs::NodesAnswer& nodes);

}  // namespace atys::present::metrics
