// SPDX-License-Identifier: Apache-2.0
#include "base/secret_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>

#include "base/descriptor_io.h"
#include "base/unique_fd.h"

namespace atys {

namespace {

Result<> write_durably(int fd, std::string_view bytes, const std::string& path) {
  if (!write_all(fd, bytes) || ::fsync(fd) != 0) return fail_errno("cannot write " + path);
  return {};
}

Result<> replace(const std::string& temporary, const std::string& path) {
  if (::rename(temporary.c_str(), path.c_str()) != 0) return fail_errno("cannot replace " + path);
  const std::string folder = std::filesystem::path(path).parent_path().string();
  const UniqueFd opened(::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!opened.is_open() || ::fsync(opened.get()) != 0) return fail_errno("cannot write " + folder);
  return {};
}

}  // namespace

Result<std::string> read_secret(const std::string& path, size_t most_bytes) {
  const UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  struct stat status {};
  if (!file.is_open() || ::fstat(file.get(), &status) != 0) return fail_errno("cannot read " + path);
  if (!S_ISREG(status.st_mode) || (status.st_mode & 077) != 0)
    return fail(ErrorCode::PermissionDenied, path + " can be read by others", "chmod 600 " + path);
  return read_to_end(file.get(), most_bytes, path);
}

Result<> write_secret(const std::string& path, std::string_view bytes) {
  const std::string temporary = path + ".new";
  ::unlink(temporary.c_str());  // of one that was ended while it wrote
  const UniqueFd file(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!file.is_open()) return fail_errno("cannot write " + temporary);
  Result<> written = write_durably(file.get(), bytes, temporary);
  if (written.ok()) written = replace(temporary, path);
  if (!written.ok()) ::unlink(temporary.c_str());
  return written;
}

}  // namespace atys
