// SPDX-License-Identifier: Apache-2.0
// What may be asked about a process beyond its ProcessInfo. Asked only where something depends on it: each costs a look at
// the machine.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "linux/process.h"

namespace atys::capture {

class ProcessFacts {
 public:
  virtual ~ProcessFacts() = default;
  virtual bool is_ourselves(const linux::ProcessInfo& process) = 0;
  virtual std::vector<std::string> environment(pid_t pid) = 0;  // empty where it is not ours to see
  virtual bool listens_on(pid_t pid, uint16_t port) = 0;
  virtual std::string user_name(uint32_t uid) = 0;    // empty: the user has none
  virtual std::string working_folder(pid_t pid) = 0;  // as the process sees it; empty where it is not ours to see
  virtual bool has_file(pid_t pid, const std::string& path) = 0;  // likewise
  virtual std::string container_name(const std::string& id) = 0;  // that its runtime keeps of it; empty: not known
};

}  // namespace atys::capture
