// SPDX-License-Identifier: Apache-2.0
// The processes of a target as they come and go while it is recorded.
#pragma once

#include <poll.h>

#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "base/unique_fd.h"
#include "capture/target/service_watch.h"
#include "capture/target/target.h"

namespace atys::capture {

class TargetProcesses {
 public:
  // `command` is the process of a command target.
  static Result<std::unique_ptr<TargetProcesses>> find(const Target& target, pid_t command);

  std::vector<pid_t> pids() const;  // none for the host: it is all of them
  bool is_host() const;
  bool with_children() const;  // what they start belongs to the target too

  // Processes that have come to belong to it since the last look.
  std::vector<pid_t> look_again();
  // None is left. Never true of the host.
  bool is_gone();
  // Readable when one of them has ended, for poll(2).
  void add_wakeups(std::vector<pollfd>& fds) const;

 private:
  explicit TargetProcesses(Target target);
  void add(pid_t pid);
  std::vector<pid_t> belong_now();

  struct Known {
    uint64_t start_time = 0;  // a reused pid is not the same process
    UniqueFd pidfd;           // closed: not to be had, or it has ended
    bool has_ended = false;
  };
  bool has_ended(pid_t pid, Known& process) const;

  Target target_;
  std::optional<ServiceWatch> service_;
  std::map<pid_t, Known> processes_;
};

}  // namespace atys::capture
