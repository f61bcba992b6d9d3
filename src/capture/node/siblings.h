// SPDX-License-Identifier: Apache-2.0
// Processes that run the same program beside one another: workers of node:cluster, services under one supervisor.
#pragma once

#include <sys/types.h>

namespace atys::capture::node {

// Whether another process runs the same executable in the same network namespace.
bool has_sibling(pid_t pid);

}  // namespace atys::capture::node
