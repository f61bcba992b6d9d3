// SPDX-License-Identifier: Apache-2.0
// Clusters of Node.js processes (node:cluster). When the inspector of a cluster's primary opens, Node.js itself sends
// SIGUSR1 to all of its workers, so that theirs open too: the first of them takes the port that all of them want, the others
// write that it is in use. So the inspector of a primary is not opened; and where a process became a primary at that very
// moment, what that did to its workers is undone.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "base/result.h"

namespace atys::capture::node {

class InspectorClient;
struct Deadline;

// The workers of a process that is the primary of a cluster, as we number them.
std::vector<pid_t> cluster_workers(pid_t pid);

// Of "NAME=VALUE": that the process was started as a worker.
bool is_worker_environment(const std::vector<std::string>& environment);

// For a primary whose inspector has just been opened: workers that are not ready yet will not be signalled. Those that have
// been are returned, as we number them.
Result<std::vector<pid_t>> stop_opening_workers(InspectorClient& client, const std::vector<pid_t>& workers,
                                                const Deadline& deadline);

// Opens the inspector once more, on any port, through `inspector`, an expression; no worker is signalled by it.
std::string reopening(const std::string& inspector);

// Workers whose inspector may be open, or about to open, because of us, though we did not ask them. Shared by all recordings
// of this process.
void note_asked_worker(pid_t pid);
// Whether it is one; it is the caller's then.
bool claim_asked_worker(pid_t pid);
std::vector<pid_t> asked_workers();

}  // namespace atys::capture::node
