// SPDX-License-Identifier: Apache-2.0
// Opens the very file that a process has mapped, though it may be deleted, replaced, or lie in another root.
#pragma once

#include <sys/stat.h>
#include <sys/types.h>

#include <string>

#include "base/bytes.h"
#include "base/result.h"
#include "base/unique_fd.h"
#include "linux/proc_maps.h"

namespace atys::symbolize {

struct MappedFile {
  UniqueFd handle;  // O_PATH: says which file it is, cannot be read; see open_for_reading()
  struct stat status {};
  bool can_be_found_again = false;  // by its path, in our own root
};

// Regular files only. Tries /proc/PID/map_files, then the path in the root of the process, then the path in ours.
Result<MappedFile> find_mapped_file(pid_t pid, const linux::MappedRange& range);
// Never waits, whatever the file has become.
Result<UniqueFd> open_for_reading(const UniqueFd& handle, const std::string& name);
// `path` as a process with the root `root_folder` sees it ("" or "/": ours): links in it cannot lead out of that root.
Result<UniqueFd> open_path_in_root(const std::string& root_folder, const std::string& path);
// The image that the Linux kernel maps into each process; of our own process where that one cannot be read.
Result<Bytes> read_vdso(pid_t pid, const linux::MappedRange& range);

}  // namespace atys::symbolize
