// SPDX-License-Identifier: Apache-2.0
#include "verbs/recording/command_end.h"

#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/strings.h"
#include "base/unique_fd.h"
#include "linux/process.h"
#include "linux/process_tree.h"

namespace atys::verbs {

namespace {

using linux::StartedProcess;

constexpr uint64_t kPatienceNs = 5'000'000'000;

// The command and all that it started. Orphans are our children (linux::adopt_orphans()); children that we had before the
// command are none of its.
std::vector<StartedProcess> living_of(pid_t command, uint64_t command_start) {
  std::vector<StartedProcess> living = linux::descendants_of(::getpid());
  std::erase_if(living, [&](const StartedProcess& process) {
    return process.pid != command && process.start_time_ticks < command_start;
  });
  return living;
}

class Ending {
 public:
  explicit Ending(pid_t command) : command_(command), deadline_ns_(clock_ns(CLOCK_MONOTONIC) + kPatienceNs) {
    if (const auto process = linux::read_process(command); process.ok()) command_start_ = process->start_time_ticks;
  }

  // What has not ended in time; the command first.
  std::vector<pid_t> run() {
    std::vector<StartedProcess> living;
    do {
      living = living_of(command_, command_start_);
      for (const StartedProcess& process : living) tell(process);
      for (const UniqueFd& pidfd : std::exchange(told_, {})) wait(pidfd);
    } while (!living.empty() && left_ms() > 0);
    std::vector<pid_t> left;
    for (const StartedProcess& process : living_of(command_, command_start_)) left.push_back(process.pid);
    std::ranges::stable_partition(left, [&](pid_t pid) { return pid == command_; });
    return left;
  }

 private:
  // Once each: a second SIGTERM means "at once" to many a program.
  void tell(const StartedProcess& process) {
    UniqueFd pidfd(static_cast<int>(::syscall(SYS_pidfd_open, process.pid, 0)));
    // A number that was given to another process meanwhile is not told anything.
    if (!pidfd.is_open() || !linux::is_alive(process.pid, process.start_time_ticks)) return;
    if (knows_.emplace(process.pid, process.start_time_ticks).second)
      ::syscall(SYS_pidfd_send_signal, pidfd.get(), SIGTERM, nullptr, 0);
    told_.push_back(std::move(pidfd));
  }

  void wait(const UniqueFd& pidfd) const {
    pollfd ended{pidfd.get(), POLLIN, 0};
    (void)::poll(&ended, 1, left_ms());
  }

  int left_ms() const {
    const uint64_t now = clock_ns(CLOCK_MONOTONIC);
    return now >= deadline_ns_ ? 0 : static_cast<int>((deadline_ns_ - now + 999'999) / 1'000'000);
  }

  pid_t command_;
  uint64_t command_start_ = 0;
  uint64_t deadline_ns_;
  std::set<std::pair<pid_t, uint64_t>> knows_;
  std::vector<UniqueFd> told_;
};

std::string listed(const std::vector<pid_t>& pids, std::string_view between) {
  return joined(pids, between, [](pid_t pid) { return std::to_string(pid); });
}

LeftCommand not_ended(const std::vector<pid_t>& left, int exit_status) {
  const bool is_one = left.size() == 1;
  const std::string how = "kill -KILL " + listed(left, " ") + (is_one ? " ends it" : " ends them");
  const std::string processes = (is_one ? "process " : "processes ") + listed(left, ", ");
  LeftCommand command{.end = CommandEnd::NotEnded, .pid = left.front(), .exit_status = exit_status, .note = {}};
  if (exit_status < 0)
    command.note = "the command was told to end (SIGTERM) and has not within 5 s; it goes on, as " + processes + ": " + how;
  else
    command.note = "the command was told to end (SIGTERM) and did, with exit status " + std::to_string(exit_status) +
                   ", but what it started has not within 5 s; " + processes + (is_one ? " goes on: " : " go on: ") + how;
  return command;
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
  if (!stop) {
    left.end = CommandEnd::GoesOn;
    left.pid = pid;
    left.note = "the command goes on, as process " + std::to_string(pid) + "; with --stop it ends when the recording does";
    return left;
  }
  const std::vector<pid_t> living = Ending(pid).run();
  left.exit_status = recording.wait_command(0);
  if (!living.empty()) return not_ended(living, left.exit_status);
  left.end = CommandEnd::Stopped;
  left.note = "the command was told to end (SIGTERM) and did, with exit status " + std::to_string(left.exit_status);
  return left;
}

}  // namespace atys::verbs
