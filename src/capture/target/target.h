// SPDX-License-Identifier: Apache-2.0
// What may be profiled, and which processes that is at this moment.
#pragma once

#include <sys/types.h>

#include <string>
#include <variant>
#include <vector>

#include "base/result.h"
#include "capture/target/service_rule.h"

namespace atys::capture {

struct CommandTarget {
  std::vector<std::string> arguments;
};
struct ProcessTarget {
  std::vector<pid_t> pids;
  bool with_children = false;  // and what they have started, or will start
};
struct CgroupTarget {
  std::string name;  // as typed; see linux::resolve_cgroup
};
struct ServiceTarget {
  ServiceRule rule;
};
struct HostTarget {};

using Target = std::variant<CommandTarget, ProcessTarget, CgroupTarget, ServiceTarget, HostTarget>;

// "processes 12, 13", "service nginx", "the host"
std::string describe(const Target& target);

// In rising order, each once. A command has none until it was started. A target that has no process at all is an error: it
// names each pid that is missing and, for a service, names that are near. Pids that were named must be ours to look at.
Result<std::vector<pid_t>> find_processes(const Target& target);

}  // namespace atys::capture
