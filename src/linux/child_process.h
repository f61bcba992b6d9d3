// SPDX-License-Identifier: Apache-2.0
// A command that we start ourselves: it exists, but waits at the gate until `release`, so that everything can be in place
// before its first instruction.
#pragma once

#include <sys/resource.h>
#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"

namespace atys::linux {

struct ChildOptions {
  // Descriptors for its standard streams; -1: ours.
  int in = -1;
  int out = -1;
  int err = -1;
  std::vector<std::string> more_environment;  // "KEY=VALUE", besides ours or in the place of ours
  // The same, if take_optional_environment() is called before it is released.
  std::vector<std::string> optional_environment;
  bool own_group = false;   // a process group of its own, named by its pid
  std::optional<int> nice;  // its priority; none: ours
};

class ChildProcess {
 public:
  // Found on PATH like a shell would. Standard streams, environment and working directory are ours unless said otherwise.
  static Result<ChildProcess> create(const std::vector<std::string>& command, const ChildOptions& options = {});

  ChildProcess(ChildProcess&&) noexcept = default;
  ChildProcess& operator=(ChildProcess&&) noexcept = default;
  ~ChildProcess();  // a child that was never released ends without having run

  pid_t pid() const { return pid_; }
  int pidfd() const { return pidfd_.get(); }  // readable when it has ended

  void take_optional_environment() { takes_optional_ = true; }
  // Lets it run. Fails if the command could not be started, with the reason.
  Result<> release();
  // Its exit status as a shell would give it (128 + signal), without waiting: -1 while it runs.
  int poll_exit();
  // What it used, with everything that it waited for; after it has ended.
  const rusage& usage() const { return usage_; }
  void send_signal(int number) const;

 private:
  ChildProcess() = default;
  std::string name_;
  pid_t pid_ = -1;
  int exit_status_ = -1;
  rusage usage_{};
  bool is_released_ = false;
  bool takes_optional_ = false;
  UniqueFd pidfd_;
  UniqueFd gate_;     // closing it without a byte makes the child leave
  UniqueFd failure_;  // errno of exec comes here; closed by a successful exec
};

}  // namespace atys::linux
