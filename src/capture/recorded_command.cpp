// SPDX-License-Identifier: Apache-2.0
#include "capture/recorded_command.h"

#include <poll.h>

#include "linux/used_cpu.h"

namespace atys::capture {

Result<RecordedCommand> RecordedCommand::create(const RecordingPlan& plan, const CommandTarget& command,
                                                const preload::SharedSpace* space) {
  linux::ChildOptions options;
  if (space != nullptr) options.optional_environment = space->environment();
  Helps helps;
  for (const auto& kernel : profiling_kernels())
    if (auto help = kernel->help_command(plan)) helps.push_back(std::move(help));
  for (const auto& help : helps)
    for (std::string& variable : help->environment()) options.more_environment.push_back(std::move(variable));
  std::optional<linux::ChildProcess> child(TRY(linux::ChildProcess::create(command.arguments, options)));
  for (const auto& help : helps) {
    if (help->prepare(child->pid()).ok()) continue;
    options.more_environment.clear();
    child.emplace(TRY(linux::ChildProcess::create(command.arguments, options)));
    helps.clear();
    break;
  }
  return RecordedCommand(std::move(helps), std::move(*child));
}

void RecordedCommand::note_process(pid_t pid) {
  for (const auto& help : helps_) help->note_process(pid);
}

bool RecordedCommand::has_ended_within(int timeout_ms) const {
  pollfd ended{child_.pidfd(), POLLIN, 0};
  return ::poll(&ended, 1, timeout_ms) > 0;
}

int RecordedCommand::wait_for_exit(int timeout_ms) {
  (void)has_ended_within(timeout_ms);
  return look_for_exit();
}

std::optional<uint64_t> RecordedCommand::used_cpu_ns() const {
  return exit_status_ < 0 ? std::nullopt : std::optional(linux::used_cpu_ns(child_.usage()));
}

}  // namespace atys::capture
