// SPDX-License-Identifier: Apache-2.0
#include "linux/perf_map.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>

#include "linux/namespaces.h"
#include "linux/proc_file.h"
#include "linux/proc_text.h"
#include "linux/process.h"

namespace atys::linux {

Result<PerfMapPlace> PerfMapPlace::find(pid_t pid) {
  const std::string status = TRY(read_proc_file(fmt::format("/proc/{}/status", pid), size_t{1} << 20));
  const auto users = words_of(value_of(status, "Uid"));
  const auto numbers = words_of(value_of(status, "NStgid"));
  const auto user = users.size() < 2 ? std::nullopt : parse_number<uid_t>(users[1]);
  if (!user) return fail(ErrorCode::InvalidInput, fmt::format("/proc/{}/status: no Uid", pid));
  // The last is the innermost name space, the one that the process lives in.
  const std::string own_number = numbers.empty() ? std::to_string(pid) : std::string(numbers.back());
  const Owner owner{*user, unix_time_of_start(TRY(process_start_ticks(pid)))};
  const std::string root = root_of(pid);
  const UniqueFd root_fd(::open(root.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!root_fd.is_open()) return fail_errno("open " + root);
  // No step follows a link, and what O_PATH opens has not been opened for reading yet.
  UniqueFd folder(::openat(root_fd.get(), "tmp", O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!folder.is_open()) return fail_errno("open " + root + "/tmp");
  return PerfMapPlace(std::move(folder), "perf-" + own_number + ".map", owner);
}

Result<std::optional<PerfMapPlace::Found>> PerfMapPlace::look() const {
  Found found{.handle = UniqueFd(::openat(folder_.get(), file_.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC))};
  if (!found.handle.is_open() && errno == ENOENT) return std::optional<Found>();
  struct ::stat status {};
  if (!found.handle.is_open() || ::fstat(found.handle.get(), &status) != 0) return fail_errno("open " + path());
  TRY(check(status));
  found.bytes = static_cast<uint64_t>(status.st_size);
  return std::optional(std::move(found));
}

Result<> PerfMapPlace::check(const struct ::stat& status) const {
  const auto refuse = [&](const std::string& why) { return fail(ErrorCode::PermissionDenied, path() + " " + why); };
  if (S_ISLNK(status.st_mode)) return refuse("is a symbolic link");
  if (!S_ISREG(status.st_mode)) return refuse("is not a regular file");
  if (status.st_uid != owner_.user && status.st_uid != 0)
    return refuse(fmt::format("belongs to user {}, not to the process's user {}", status.st_uid, owner_.user));
  if (status.st_mtim.tv_sec < owner_.began)
    return refuse("is older than the process: an earlier one of that number left it");
  // A second name could be that of a file which the process itself may not read.
  if (status.st_nlink > 1) return refuse("has a second name");
  if (static_cast<uint64_t>(status.st_size) > kLargestPerfMap)
    return refuse(fmt::format("is larger than {} bytes", kLargestPerfMap));
  return {};
}

bool has_perf_map(pid_t pid) {
  const auto place = PerfMapPlace::find(pid);
  if (!place.ok()) return false;
  const auto found = place->look();
  return found.ok() && *found && (*found)->bytes > 0;
}

}  // namespace atys::linux
