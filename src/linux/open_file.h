// SPDX-License-Identifier: Apache-2.0
// What is behind a descriptor of another process.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string_view>

namespace atys::linux {

enum class FileKind : uint8_t {
  Unknown,
  File,  // or a folder, or a disk itself
  Pipe,
  UnixSocket,  // of this host
  Socket,      // any other
  Terminal,
  Event,
  Timer,
  Signals,
};

struct OpenFile {
  FileKind kind = FileKind::Unknown;
  uint64_t inode = 0;
};
// Kind Unknown: there is no such descriptor, it is not ours to see, or it is none of these. A socket costs a look at the
// list of those of its host, unless `known` is the same one.
OpenFile open_file(pid_t pid, int descriptor, const OpenFile& known = {});

// "anon_inode:[eventfd]"
FileKind kind_of_link(std::string_view link);
// The text of /proc/PID/net/unix, or a part of it, lists that socket.
bool lists_unix_socket(std::string_view text, uint64_t inode);

}  // namespace atys::linux
