// SPDX-License-Identifier: Apache-2.0
#include "linux/proc_file.h"

#include <fcntl.h>

#include <cerrno>

#include "base/unique_fd.h"

namespace atys::linux {

Result<std::string> read_proc_file(const std::string& path, size_t limit) {
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!fd.is_open()) return fail_errno("open " + path);
  std::string text;
  size_t used = 0;
  while (true) {
    // A file that makes its content up on reading has no size to ask for.
    if (text.size() - used < 4096) text.resize(used + std::max<size_t>(4096, used));
    const ssize_t got = ::read(fd.get(), text.data() + used, text.size() - used);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fail_errno("read " + path);
    if (got == 0) break;
    used += static_cast<size_t>(got);
    if (used > limit) return fail(ErrorCode::ResourceExhausted, path + ": larger than " + std::to_string(limit) + " bytes");
  }
  text.resize(used);
  return text;
}

}  // namespace atys::linux
