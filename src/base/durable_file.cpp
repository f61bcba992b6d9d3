// SPDX-License-Identifier: Apache-2.0
#include "base/durable_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <vector>

#include "base/descriptor_io.h"
#include "base/unique_fd.h"

namespace atys {

namespace fs = std::filesystem;

int FileCalls::open(const std::string& path, int flags, mode_t mode) { return ::open(path.c_str(), flags, mode); }
ssize_t FileCalls::write(int fd, std::string_view bytes) { return ::write(fd, bytes.data(), bytes.size()); }
int FileCalls::fsync(int fd) { return ::fsync(fd); }
int FileCalls::close(int fd) { return ::close(fd); }
int FileCalls::rename(const std::string& from, const std::string& to) { return std::rename(from.c_str(), to.c_str()); }
int FileCalls::unlink(const std::string& path) { return ::unlink(path.c_str()); }

FileCalls& FileCalls::of_kernel() {
  static FileCalls calls;
  return calls;
}

namespace {

constexpr size_t kRandomLetters = 6;  // of mkostemp()

Result<> write_durably(int fd, std::string_view bytes, const std::string& path, FileCalls& calls) {
  const bool is_whole = write_all_by(bytes, [&](std::string_view left, size_t) { return calls.write(fd, left); });
  if (!is_whole || calls.fsync(fd) != 0) return fail_errno("cannot write " + path);
  return {};
}

}  // namespace

Result<> write_synced(const std::string& path, std::string_view bytes, FileCalls& calls) {
  const int fd = calls.open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (fd < 0) return fail_errno("cannot write " + path);
  Result<> written = write_durably(fd, bytes, path, calls);
  // Some file systems find out only now.
  if (calls.close(fd) != 0 && written.ok()) written = fail_errno("cannot write " + path);
  if (!written.ok()) (void)calls.unlink(path);
  return written;
}

Result<> rename_synced(const std::string& from, const std::string& to, FileCalls& calls) {
  if (calls.rename(from, to) != 0) return fail_errno("cannot write " + to);
  return sync_folder_of(to, calls);
}

Result<> sync_folder_of(const std::string& path, FileCalls& calls) {
  const std::string parent = fs::path(path).parent_path().string();
  const std::string folder = parent.empty() ? "." : parent;
  const int fd = calls.open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
  if (fd < 0) return fail_errno("cannot open " + folder);
  // Where folders cannot be synced (EINVAL) there is nothing more that could be done.
  Result<> synced;
  if (calls.fsync(fd) != 0 && errno != EINVAL) synced = fail_errno("cannot write " + folder);
  (void)calls.close(fd);
  return synced;
}

Result<> make_private_folder(const std::string& path) {
  std::error_code error;
  const fs::path parent = fs::path(path).parent_path();
  if (!parent.empty()) fs::create_directories(parent, error);
  if (error) return fail(ErrorCode::PermissionDenied, "cannot make " + parent.string() + ": " + error.message());
  if (::mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) return fail_errno("cannot make " + path);
  const UniqueFd folder(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  struct stat state {};
  if (!folder.is_open() || ::fstat(folder.get(), &state) != 0) return fail_errno("cannot open " + path);
  const bool is_wide = (state.st_mode & 077) != 0;
  if (is_wide && state.st_uid == ::geteuid() && ::fchmod(folder.get(), state.st_mode & 0700) != 0 && errno != EROFS)
    return fail_errno("cannot keep " + path + " from others");
  return {};
}

void remove_unfinished(const std::string& path) {
  const fs::path whole(path);
  const std::string start = whole.filename().string() + ".";
  const fs::path folder = whole.parent_path().empty() ? fs::path(".") : whole.parent_path();
  std::error_code error;
  std::vector<fs::path> left;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    if (name.size() == start.size() + kRandomLetters && name.starts_with(start)) left.push_back(entry.path());
  }
  for (const fs::path& each : left) fs::remove(each, error);
}

}  // namespace atys
