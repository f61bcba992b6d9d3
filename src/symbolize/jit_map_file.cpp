// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>

#include "linux/proc_file.h"
#include "linux/process.h"
#include "symbolize/jit_map.h"
#include "symbolize/mapped_file.h"

namespace atys::symbolize {

namespace {

constexpr size_t kLargestMap = size_t{256} << 20;

// The numbers of the line "KEY:\t1\t2 …".
std::vector<uint64_t> numbers_of(std::string_view status, std::string_view key) {
  std::vector<uint64_t> numbers;
  size_t at = status.find(fmt::format("\n{}:", key));
  if (at == std::string_view::npos) return numbers;
  at += key.size() + 2;
  const std::string_view line = status.substr(at, status.find('\n', at) - at);
  for (const char* from = line.data(); from < line.data() + line.size();) {
    uint64_t number = 0;
    const auto [end, problem] = std::from_chars(from, line.data() + line.size(), number);
    if (problem == std::errc()) numbers.push_back(number);
    from = problem == std::errc() ? end : from + 1;
  }
  return numbers;
}

Result<JitMapFile::Owner> owner_of(pid_t pid) {
  const std::string status = TRY(linux::read_proc_file(fmt::format("/proc/{}/status", pid), size_t{1} << 20));
  const auto pids = numbers_of(status, "NStgid");
  const auto users = numbers_of(status, "Uid");
  if (users.size() < 2) return fail(ErrorCode::InvalidInput, fmt::format("/proc/{}/status: no Uid", pid));
  // The last is the innermost name space, the one that the process lives in.
  return JitMapFile::Owner{pids.empty() ? pid : static_cast<pid_t>(pids.back()), static_cast<uid_t>(users[1]),
                           linux::unix_time_of_start(TRY(linux::process_start_ticks(pid)))};
}

Result<> check_status(const UniqueFd& handle, const std::string& name, const JitMapFile::Owner& owner) {
  struct stat status {};
  if (::fstat(handle.get(), &status) != 0) return fail_errno("stat " + name);
  if (S_ISLNK(status.st_mode)) return fail(ErrorCode::PermissionDenied, name + ": refused: a symbolic link");
  if (!S_ISREG(status.st_mode)) return fail(ErrorCode::PermissionDenied, name + ": refused: not a regular file");
  if (status.st_uid != owner.user && status.st_uid != 0)
    return fail(ErrorCode::PermissionDenied, fmt::format("{}: refused: belongs to user {}, not to the process's user {}",
                                                         name, status.st_uid, owner.user));
  if (status.st_mtim.tv_sec < owner.began)
    return fail(ErrorCode::NotFound, name + ": refused: older than the process, an earlier one of that number left it");
  // A second name could be that of a file which the process itself may not read.
  if (status.st_nlink > 1) return fail(ErrorCode::PermissionDenied, name + ": refused: it has a second name");
  if (static_cast<uint64_t>(status.st_size) > kLargestMap)
    return fail(ErrorCode::ResourceExhausted, fmt::format("{}: larger than {} bytes", name, kLargestMap));
  return {};
}

Result<std::string> read_whole(const UniqueFd& fd, const std::string& name) {
  std::string text;
  std::string buffer(size_t{256} << 10, '\0');
  while (text.size() < kLargestMap) {
    const ssize_t got = ::read(fd.get(), buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fail_errno("read " + name);
    if (got == 0) break;
    text.append(buffer, 0, static_cast<size_t>(got));
  }
  return text;
}

}  // namespace

Result<JitMapFile> JitMapFile::find(pid_t pid) {
  const Owner owner = TRY(owner_of(pid));
  const std::string root = fmt::format("/proc/{}/root", pid);
  const UniqueFd root_fd(::open(root.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!root_fd.is_open()) return fail_errno("open " + root);
  // No step follows a link, and what O_PATH opens has not been opened for reading yet.
  UniqueFd folder(::openat(root_fd.get(), "tmp", O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!folder.is_open()) return fail_errno("open " + root + "/tmp");
  return JitMapFile(std::move(folder), fmt::format("perf-{}.map", owner.own_pid), owner);
}

Result<JitMap> JitMapFile::read() const {
  const std::string name = "/tmp/" + file_;
  const UniqueFd handle(::openat(folder_.get(), file_.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
  if (!handle.is_open()) return fail_errno("open " + name);
  TRY(check_status(handle, name, owner_));
  const UniqueFd fd = TRY(open_for_reading(handle, name));
  return JitMap::parse(TRY(read_whole(fd, name)));
}

Result<JitMap> open_jit_map(pid_t pid) { return TRY(JitMapFile::find(pid)).read(); }

}  // namespace atys::symbolize
