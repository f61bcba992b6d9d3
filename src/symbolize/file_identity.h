// SPDX-License-Identifier: Apache-2.0
// Which file it is, and in which state, by what the Linux kernel says of it and only root can set. Whatever the file says of
// itself, its build id above all, is as easily forged as its contents: what was learnt from one file is told of another only
// if they are the same by this.
#pragma once

#include <sys/stat.h>
#include <sys/types.h>

#include <string>

#include "linux/proc_maps.h"

namespace atys::symbolize {

struct FileState {
  linux::FileIdentity file;  // as it is mapped: layers of file systems show another device to stat()
  struct stat status {};
  bool is_answered_by_a_program = false;  // FUSE: a program of whoever mounted it says what file this is

  // Device, inode, size, owner and the times of the last changes.
  std::string text() const;
  // The same in hexadecimal digits, for what is kept on disk; empty: not to be kept, as it may still change within the tick
  // of the clock, or may come again as another file.
  std::string key_on_disk() const;
};

// Of an open file; `mapped` with inode 0: as stat() has it. Handles (O_PATH) will do.
FileState state_of(int fd, const linux::FileIdentity& mapped);

// In which tree of files a process lives, if that is not ours: another mount namespace, or another root. Empty: in ours, or
// it cannot be seen, in which case none of its files can.
std::string foreign_tree_of(pid_t pid);

}  // namespace atys::symbolize
