// SPDX-License-Identifier: Apache-2.0
#include "capture/target_processes.h"

#include <algorithm>

#include "linux/process.h"

namespace atys::capture {

void TargetProcesses::add(pid_t pid) {
  const auto process = linux::read_process(pid);
  start_times_[pid] = process.ok() ? process->start_time_ticks : 0;
}

Result<std::unique_ptr<TargetProcesses>> TargetProcesses::find(const Target& target, pid_t command) {
  std::unique_ptr<TargetProcesses> found(new TargetProcesses(target));
  if (command > 0) {
    found->add(command);
  } else if (!found->is_host()) {
    for (const pid_t pid : TRY(find_processes(target))) found->add(pid);
  }
  return found;
}

std::vector<pid_t> TargetProcesses::pids() const {
  std::vector<pid_t> pids;
  for (const auto& [pid, start] : start_times_) pids.push_back(pid);
  return pids;
}

bool TargetProcesses::is_host() const { return std::holds_alternative<HostTarget>(target_); }

bool TargetProcesses::with_children() const {
  return std::holds_alternative<CommandTarget>(target_) || std::holds_alternative<CgroupTarget>(target_);
}

std::vector<pid_t> TargetProcesses::look_again() {
  std::vector<pid_t> added;
  if (!std::holds_alternative<ServiceTarget>(target_) && !std::holds_alternative<CgroupTarget>(target_)) return added;
  const auto found = find_processes(target_);
  if (!found.ok()) return added;
  for (const pid_t pid : *found) {
    const auto known = start_times_.find(pid);
    if (known != start_times_.end() && linux::is_alive(pid, known->second)) continue;
    add(pid);
    added.push_back(pid);
  }
  return added;
}

bool TargetProcesses::is_gone() const {
  // A command is watched by its own descriptor: children may outlive it, and it may have ended a moment ago.
  if (is_host() || std::holds_alternative<CommandTarget>(target_)) return false;
  return std::none_of(start_times_.begin(), start_times_.end(),
                      [](const auto& entry) { return linux::is_alive(entry.first, entry.second); });
}

}  // namespace atys::capture
