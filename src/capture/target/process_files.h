// SPDX-License-Identifier: Apache-2.0
// Files of another process, as that process sees them, and where they lie in its memory.
#pragma once

#include <fcntl.h>
#include <sys/types.h>

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"
#include "linux/proc_maps.h"
#include "symbolize/elf_file.h"

namespace atys::capture {

// A path of the process: links lead nowhere but into its own root, and a fifo does not block us.
UniqueFd open_in_root(pid_t pid, const std::string& path, uint64_t flags = O_RDONLY | O_NONBLOCK | O_NOCTTY);

// The file behind a mapping, also when its name is gone or belongs to another.
Result<symbolize::ElfFile> open_mapped_file(pid_t pid, const linux::MappedRange& range);

// A file with a runtime in it.
struct LoadedFile {
  symbolize::ElfFile elf;
  std::string path;
  uint64_t bias = 0;                           // what to add to the file's own addresses
  std::vector<linux::MappedRange> executable;  // where its code lies

  // Where a symbol or a section is in the process's memory.
  struct Place {
    uint64_t address = 0;
    uint64_t size = 0;
  };
  std::optional<Place> section(std::string_view name) const;
  // Those of `names` that the file defines, from all its symbol tables.
  std::map<std::string, Place> symbols(const std::vector<std::string_view>& names) const;
  // Whether it wants any of `names` from another file.
  bool imports(const std::vector<std::string_view>& names) const;
};
Result<LoadedFile> open_loaded_file(pid_t pid, const std::string& path);

}  // namespace atys::capture
