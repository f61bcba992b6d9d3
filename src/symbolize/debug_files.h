// SPDX-License-Identifier: Apache-2.0
// Finds the separate debug file of a binary: by build id, by .gnu_debuglink, by debuginfod. What is found is believed only
// if its build id (or, for want of one, its checksum) is the binary's, and its code lies where the binary's lies: a build id
// is easily forged.
#pragma once

#include <string>

#include "base/result.h"
#include "symbolize/dwarf.h"
#include "symbolize/elf_file.h"

namespace atys::symbolize {

struct DebugFileSearch {
  std::string path;  // of the binary, as its process sees it
  std::string root;  // of that process ("/proc/PID/root"), looked into before our own; may be empty
  std::string debug_folder = "/usr/lib/debug";
  bool may_ask_debuginfod = false;
  int debuginfod_seconds = 20;
};

Result<ElfFile> find_debug_file(const ElfFile& file, const DebugFileSearch& search);
// Only below `search.root`, and nobody is asked.
Result<ElfFile> find_debug_file_in_root(const ElfFile& file, const DebugFileSearch& search);
// The file that several debug files share their common parts in (.gnu_debugaltlink), as dwz makes them.
Result<ElfFile> find_alternate_file(const DwarfInfo::AlternateLink& link, const DebugFileSearch& search);

}  // namespace atys::symbolize
