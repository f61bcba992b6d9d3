// SPDX-License-Identifier: Apache-2.0
#include "capture/java/attach_trigger.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <utility>

#include "linux/proc_file.h"
#include "linux/proc_text.h"

namespace atys::capture::java {

namespace {

// Another tool may be about to attach with a file of its own: it serves us too.
bool is_usable(int folder, const std::string& name, uid_t user) {
  struct stat status {};
  return ::fstatat(folder, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(status.st_mode) &&
         status.st_uid == user;
}

}  // namespace

Result<AttachTrigger> AttachTrigger::create(const std::array<const UniqueFd*, 2>& folders, const linux::ProcessInfo& info) {
  const std::string name = fmt::format(".attach_pid{}", info.pid_in_namespace);
  int problem = ENOENT;
  for (const UniqueFd* folder : folders) {
    if (!folder->is_open()) continue;
    const UniqueFd file(
        ::openat(folder->get(), name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0600));
    if (file.is_open()) return AttachTrigger(folder->get(), name, info.pid, true);
    problem = errno;
    if (problem == EEXIST && is_usable(folder->get(), name, info.uid))
      return AttachTrigger(folder->get(), name, info.pid, false);
  }
  errno = problem;
  return fail_errno(fmt::format("making {} in /tmp or the working directory of process {}", name, info.pid));
}

AttachTrigger::AttachTrigger(AttachTrigger&& other) noexcept
    : folder_(other.folder_),
      name_(std::move(other.name_)),
      pid_(other.pid_),
      is_ours_(std::exchange(other.is_ours_, false)) {}

AttachTrigger::~AttachTrigger() {
  if (is_ours_) ::unlinkat(folder_, name_.c_str(), 0);
}

bool AttachTrigger::is_signal_pending() const {
  const auto status = linux::read_proc_file(fmt::format("/proc/{}/status", pid_), size_t{1} << 20);
  if (!status.ok()) return false;
  const auto pending = linux::parse_number<uint64_t>(linux::value_of(*status, "ShdPnd"), 16);
  return pending && (*pending >> (SIGQUIT - 1) & 1) != 0;
}

}  // namespace atys::capture::java
