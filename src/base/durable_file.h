// SPDX-License-Identifier: Apache-2.0
// Files that a power cut does not take: a file is there whole or not at all, and once a call has returned it is there.
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>

#include "base/result.h"

namespace atys {

// What is asked of the kernel; tests cut the power between two of the calls. As the functions of the same names.
class FileCalls {
 public:
  virtual ~FileCalls() = default;
  virtual int open(const std::string& path, int flags, mode_t mode);
  virtual ssize_t write(int fd, std::string_view bytes);
  virtual int fsync(int fd);
  virtual int close(int fd);
  virtual int rename(const std::string& from, const std::string& to);
  virtual int unlink(const std::string& path);

  static FileCalls& of_kernel();
};

// The content is on disk; the name may be gone after a power cut. Nothing is left where it fails. Readable by its owner.
Result<> write_synced(const std::string& path, std::string_view bytes, FileCalls& calls = FileCalls::of_kernel());
// The new name is on disk too.
Result<> rename_synced(const std::string& from, const std::string& to, FileCalls& calls = FileCalls::of_kernel());
Result<> sync_folder_of(const std::string& path, FileCalls& calls = FileCalls::of_kernel());

// Of this user alone (0700), with the folders above it. One that is there and ours is made so.
Result<> make_private_folder(const std::string& path);

// What an open_sink(path) left behind whose process was killed: files beside it that nobody will finish.
void remove_unfinished(const std::string& path);

}  // namespace atys
