// SPDX-License-Identifier: Apache-2.0
// Source files, lines and inlined functions at an address, by libdw. Lazy: units are found by their address ranges at
// opening, and one unit is read when the first address in it is asked for. Not for use by two threads at once.
#pragma once

#include <elfutils/libdw.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "symbolize/dwarf_unit.h"
#include "symbolize/elf_file.h"

namespace atys::symbolize {

class DwarfInfo {
 public:
  // `file` holds the debug sections (the binary itself or its separate debug file) and is kept open. `alternate` is the
  // file that .gnu_debugaltlink of it names; without it, a file that needs one is refused. So are files whose sections would
  // take more than `most_bytes` of memory.
  static Result<std::unique_ptr<DwarfInfo>> open(std::shared_ptr<const ElfFile> file,
                                                 std::shared_ptr<const ElfFile> alternate = nullptr,
                                                 uint64_t most_bytes = uint64_t{1} << 30);
  // The name in .gnu_debugaltlink and the build id that the named file has to have.
  struct AlternateLink {
    std::string path;
    std::string build_id;
  };
  static std::optional<AlternateLink> alternate_link(const ElfFile& file);
  // Whether there is any debug information to open.
  static bool has_debug_info(const ElfFile& file);

  // Innermost first; empty: nothing is known. The outermost is the function that the code is of; where only the line is
  // known its name is empty.
  std::vector<DwarfFrame> frames_at(uint64_t address);
  // frames_at() says the same of every address from this one up to the one returned.
  uint64_t same_until(uint64_t address);
  uint64_t memory_bytes() const;                             // estimate: sections and what was made of them
  uint64_t section_bytes() const { return section_bytes_; }  // unpacked: what opening had to make

 private:
  struct EndDwarf {
    void operator()(Dwarf* dwarf) const { dwarf_end(dwarf); }
  };
  struct UnitRange {
    uint64_t start = 0;
    uint64_t end = 0;
    uint32_t unit = 0;
  };
  DwarfInfo() = default;
  void find_units();
  std::vector<UnitRange>::const_iterator range_after(uint64_t address) const;
  DwarfUnit* unit_at(uint64_t address);

  // In this order: libdw uses the files until it is closed, and the units use libdw.
  std::shared_ptr<const ElfFile> file_;
  std::shared_ptr<const ElfFile> alternate_file_;
  std::unique_ptr<Dwarf, EndDwarf> alternate_;
  std::unique_ptr<Dwarf, EndDwarf> dwarf_;
  uint64_t section_bytes_ = 0;
  std::vector<UnitRange> ranges_;  // by start
  std::vector<std::unique_ptr<DwarfUnit>> units_;
  DwarfNames names_;  // may be of other units than the one that is asked
};

}  // namespace atys::symbolize
