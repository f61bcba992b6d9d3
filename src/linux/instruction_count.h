// SPDX-License-Identifier: Apache-2.0
// How many instructions a command runs in user space, with everything that it starts: by the processor's own counter, so
// only where the kernel shows one. Virtual machines often have none.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>

#include "base/result.h"
#include "base/unique_fd.h"

namespace atys::linux {

class InstructionCount {
 public:
  // Counts from the next exec of a process that waits at its gate.
  static Result<InstructionCount> of(pid_t pid);
  // After the end of all processes counted; nothing if the counter had to be shared and was not always there.
  std::optional<uint64_t> read() const;

 private:
  UniqueFd fd_;
};

}  // namespace atys::linux
