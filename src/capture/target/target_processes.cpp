// SPDX-License-Identifier: Apache-2.0
#include "capture/target/target_processes.h"

#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "linux/process.h"

namespace atys::capture {

TargetProcesses::TargetProcesses(Target target) : target_(std::move(target)) {
  if (const auto* service = std::get_if<ServiceTarget>(&target_)) service_.emplace(service->rule);
}

void TargetProcesses::add(pid_t pid) {
  Known known;
  // Processes that were named are few, and stay the same; to watch a service's takes a descriptor for each that comes.
  if (std::holds_alternative<ProcessTarget>(target_)) known.pidfd.reset(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  const auto process = linux::read_process(pid);
  known.start_time = process.ok() ? process->start_time_ticks : 0;
  processes_[pid] = std::move(known);
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
  for (const auto& [pid, known] : processes_) pids.push_back(pid);
  return pids;
}

bool TargetProcesses::is_host() const { return std::holds_alternative<HostTarget>(target_); }

bool TargetProcesses::with_children() const {
  if (const auto* named = std::get_if<ProcessTarget>(&target_)) return named->with_children;
  return std::holds_alternative<CommandTarget>(target_) || std::holds_alternative<CgroupTarget>(target_);
}

// Of targets that others may join.
std::vector<pid_t> TargetProcesses::belong_now() {
  if (service_) return service_->look(clock_ns(CLOCK_BOOTTIME));
  if (!std::holds_alternative<CgroupTarget>(target_)) return {};
  Result<std::vector<pid_t>> found = find_processes(target_);
  return found.ok() ? found.take() : std::vector<pid_t>{};
}

std::vector<pid_t> TargetProcesses::look_again() {
  std::vector<pid_t> added;
  for (const pid_t pid : belong_now()) {
    const auto known = processes_.find(pid);
    if (known != processes_.end() && linux::is_alive(pid, known->second.start_time)) continue;
    add(pid);
    added.push_back(pid);
  }
  return added;
}

// A descriptor is readable from the moment when all threads have ended.
bool TargetProcesses::has_ended(pid_t pid, Known& process) const {
  if (process.has_ended) return true;
  if (!process.pidfd.is_open()) return !linux::is_alive(pid, process.start_time);
  pollfd watched{process.pidfd.get(), POLLIN, 0};
  process.has_ended = process.start_time == 0 || (::poll(&watched, 1, 0) > 0 && (watched.revents & POLLIN) != 0);
  return process.has_ended;
}

bool TargetProcesses::is_gone() {
  // A command is watched by its own descriptor: children may outlive it, and it may have ended a moment ago.
  if (is_host() || std::holds_alternative<CommandTarget>(target_)) return false;
  bool is_any_left = false;
  for (auto& [pid, process] : processes_) is_any_left |= !has_ended(pid, process);
  return !is_any_left;
}

void TargetProcesses::add_wakeups(std::vector<pollfd>& fds) const {
  for (const auto& [pid, process] : processes_)
    if (process.pidfd.is_open() && !process.has_ended) fds.push_back({process.pidfd.get(), POLLIN, 0});
}

}  // namespace atys::capture
