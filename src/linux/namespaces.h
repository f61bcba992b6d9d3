// SPDX-License-Identifier: Apache-2.0
// Processes in other namespaces (containers): which they are in, where their files are, what they call their threads.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace atys::linux {

// Inode numbers, as `ls -l /proc/PID/ns` shows them; 0: not ours to see.
struct Namespaces {
  uint64_t pid = 0;
  uint64_t mount = 0;
  uint64_t user = 0;
  uint64_t net = 0;
};

// Which of a process's namespaces are not ours. What cannot be seen counts as the same.
struct ForeignNamespaces {
  bool pid = false;
  bool mount = false;
  bool user = false;
  bool net = false;

  bool any() const { return pid || mount || user || net; }
};

// "pid:[4026531836]" → 4026531836; 0 where it is something else.
uint64_t parse_namespace_link(std::string_view link);

Namespaces read_namespaces(pid_t pid);
ForeignNamespaces foreign_namespaces(pid_t pid);

// The pid namespace that we are in, where its numbers of processes are not the kernel's own, as in most containers; else, or
// where that cannot be seen, 0.
uint64_t inner_pid_namespace();

// The folder through which we see the process's file system; put a path of the process behind it. Its files are the
// process's to plant: open them without following links out of it (openat2 with RESOLVE_IN_ROOT).
std::string root_of(pid_t pid);

struct ThreadIds {
  pid_t outside = 0;  // ours
  pid_t inside = 0;   // the process's own
};
// All threads of the process. Both ids are equal where it is in our pid namespace.
Result<std::vector<ThreadIds>> read_thread_ids(pid_t pid);
// The thread of `pid` that the process itself calls `inside`, as we call it.
Result<pid_t> thread_outside(pid_t pid, pid_t inside);

}  // namespace atys::linux
