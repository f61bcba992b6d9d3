// SPDX-License-Identifier: Apache-2.0
// Walls that a process builds around itself before it looks at what strangers wrote: bounded memory, no rights, and none of
// the system calls that it does not need. None of them can be taken down again.
#pragma once

#include <cstdint>
#include <string>

namespace atys::linux {

// Which walls stand; where the kernel or a container's own filter does not let us build one, the others do.
struct Walls {
  bool memory = false;
  bool no_rights = false;     // no capabilities, and none to be had by starting programs
  bool another_user = false;  // where we were root, we no longer own root's files
  bool system_calls = false;  // memory, and reading of what is open already, is all that is left

  uint8_t bits() const;
  static Walls of_bits(uint8_t bits);
  bool all() const { return memory && no_rights && another_user && system_calls; }
  // "the system-call filter, the memory limit"; empty: nothing.
  std::string missing() const;
};

// To be called by a process with one thread. Files are open already, or come over a socket. `most_bytes` of data.
Walls confine(uint64_t most_bytes);

}  // namespace atys::linux
