// SPDX-License-Identifier: Apache-2.0
#include "linux/proc_file.h"

#include <fcntl.h>

#include "base/descriptor_io.h"
#include "base/unique_fd.h"

namespace atys::linux {

Result<std::string> read_proc_file(const std::string& path, size_t limit) {
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!fd.is_open()) return fail_errno("open " + path);
  return read_to_end(fd.get(), limit, path);
}

}  // namespace atys::linux
