// SPDX-License-Identifier: Apache-2.0
#include "verbs/profiles/plain_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <climits>

#include "base/descriptor_io.h"
#include "base/unique_fd.h"

namespace atys::verbs {

namespace {

// Only files that the user, or the system's owner, could have put there: a third party must not choose what we show.
bool is_trusted(const struct stat& status) {
  const bool is_owner_known = status.st_uid == 0 || status.st_uid == ::geteuid() || ::geteuid() == 0;
  return S_ISREG(status.st_mode) && is_owner_known;
}

std::string name_of(int fd) { return "/proc/self/fd/" + std::to_string(fd); }

std::string path_of(int fd) {
  char target[PATH_MAX];
  const ssize_t length = ::readlink(name_of(fd).c_str(), target, sizeof target);
  return length > 0 ? std::string(target, static_cast<size_t>(length)) : std::string();
}

}  // namespace

std::optional<PlainFile> open_plain_file(const std::string& path, size_t most_bytes, const MaySee& may_see) {
  if (path.empty() || path.find('\0') != std::string::npos) return std::nullopt;
  // A handle says which file it is without opening it, which of a device may do something.
  const UniqueFd handle(::open(path.c_str(), O_PATH | O_CLOEXEC));
  struct stat status = {};
  if (!handle.is_open() || ::fstat(handle.get(), &status) != 0 || !is_trusted(status)) return std::nullopt;
  if (status.st_size < 0 || static_cast<size_t>(status.st_size) > most_bytes) return std::nullopt;
  const std::string real_path = path_of(handle.get());
  if (real_path.empty() || !may_see(real_path)) return std::nullopt;
  const UniqueFd fd(::open(name_of(handle.get()).c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!fd.is_open()) return std::nullopt;
  PlainFile file{.text = std::string(static_cast<size_t>(status.st_size), '\0'),
                 .real_path = real_path,
                 .modified_ns = status.st_mtim.tv_sec * 1'000'000'000 + status.st_mtim.tv_nsec};
  const std::optional<size_t> got = read_all(fd.get(), std::span(file.text));
  if (!got) return std::nullopt;
  file.text.resize(*got);
  return file;
}

}  // namespace atys::verbs
