// SPDX-License-Identifier: Apache-2.0
#include "base/pipe.h"

#include <fcntl.h>
#include <unistd.h>

namespace atys {

Result<Pipe> make_pipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return fail_errno("make a pipe");
  return Pipe{UniqueFd(ends[0]), UniqueFd(ends[1])};
}

}  // namespace atys
