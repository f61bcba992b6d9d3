// SPDX-License-Identifier: Apache-2.0
// What a machine is busy with, as services: processes that run the same program, or the same script of an interpreter. What
// `atys up` profiles when nobody has said what.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "linux/process.h"

namespace atys::fleet {

struct BusyService {
  std::string name;  // "search.py", "postgres"
  std::string rule;  // as capture/service_rule.h reads it
  double cores = 0;
  size_t processes = 0;
};

// Of two looks at all processes, `elapsed_ns` apart; the busiest first. Threads of the kernel are no service.
std::vector<BusyService> busiest(std::span<const linux::ProcessInfo> before, std::span<const linux::ProcessInfo> after,
                                 uint64_t elapsed_ns);

// What somebody would call the process, and the rule that finds it and its like.
BusyService service_of(const linux::ProcessInfo& process);

// Every process that we can see.
std::vector<linux::ProcessInfo> look_at_processes();

}  // namespace atys::fleet
