// SPDX-License-Identifier: Apache-2.0
#include "verbs/command_end.h"

#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <vector>

#include "base/unique_fd.h"
#include "linux/process.h"

namespace atys::verbs {

namespace {

constexpr int kPatienceMs = 5000;

struct Started {
  pid_t pid = 0;
  uint64_t start_time = 0;
};

// All that a process has started, and what those have.
std::vector<Started> descendants_of(pid_t root) {
  std::multimap<pid_t, Started> by_parent;
  for (const pid_t pid : linux::list_processes())
    if (const auto process = linux::read_process(pid); process.ok())
      by_parent.emplace(process->parent, Started{pid, process->start_time_ticks});
  std::vector<Started> found;
  std::vector<pid_t> parents = {root};
  for (size_t i = 0; i < parents.size(); ++i) {
    const auto [first, last] = by_parent.equal_range(parents[i]);
    for (auto child = first; child != last; ++child) {
      found.push_back(child->second);
      parents.push_back(child->second.pid);
    }
  }
  return found;
}

// A number that was given to another process meanwhile is not told anything.
void tell_to_end(const Started& process) {
  const UniqueFd pidfd(static_cast<int>(::syscall(SYS_pidfd_open, process.pid, 0)));
  if (pidfd.is_open() && linux::is_alive(process.pid, process.start_time))
    ::syscall(SYS_pidfd_send_signal, pidfd.get(), SIGTERM, nullptr, 0);
}

}  // namespace

const char* to_string(CommandEnd end) {
  switch (end) {
    case CommandEnd::None: return "";
    case CommandEnd::GoesOn: return "goes on";
    case CommandEnd::Stopped: return "stopped";
    case CommandEnd::NotEnded: return "not ended";
  }
  return "";
}

LeftCommand leave_command(capture::Recording& recording, bool stop) {
  LeftCommand left{.exit_status = recording.wait_command(0)};
  const pid_t pid = recording.command_pid();
  if (pid <= 0 || left.exit_status >= 0) return left;
  const std::string number = std::to_string(pid);
  left.end = CommandEnd::GoesOn;
  left.pid = pid;
  left.note = "the command goes on, as process " + number + "; with --stop it ends when the recording does";
  if (!stop) return left;
  const std::vector<Started> started = descendants_of(pid);
  recording.end_command();
  std::ranges::for_each(started, tell_to_end);
  left.exit_status = recording.wait_command(kPatienceMs);
  if (left.exit_status >= 0) return {.end = CommandEnd::Stopped, .exit_status = left.exit_status};
  left.end = CommandEnd::NotEnded;
  left.note = "the command was told to end (SIGTERM) and has not within 5 s; it goes on, as process " + number +
              ": kill -KILL " + number + " ends it";
  return left;
}

}  // namespace atys::verbs
