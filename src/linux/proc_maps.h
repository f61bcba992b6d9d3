// SPDX-License-Identifier: Apache-2.0
// What a process has mapped into its memory: /proc/PID/maps.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace atys::linux {

// Which file a mapping is of, whatever its name has become since.
struct FileIdentity {
  uint64_t device = 0;
  uint64_t inode = 0;

  bool operator==(const FileIdentity&) const = default;
};

struct MappedRange {
  uint64_t start = 0;
  uint64_t end = 0;  // one past
  uint64_t file_offset = 0;
  FileIdentity file;  // inode 0: not a file
  bool is_executable = false;
  bool is_deleted = false;  // the name is gone or belongs to another file
  std::string path;         // as its process sees it, without " (deleted)"; "[vdso]", "[stack]" …; empty: anonymous

  bool contains(uint64_t address) const { return address >= start && address < end; }
};

// Lines that are no mappings are left out.
std::vector<MappedRange> parse_maps(std::string_view text);

Result<std::vector<MappedRange>> read_maps(pid_t pid);

}  // namespace atys::linux
