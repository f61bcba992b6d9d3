// SPDX-License-Identifier: Apache-2.0
// The runtimes that we recognise: one entry each. To add one, add an entry.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "symbolize/elf_file.h"

namespace atys::capture {

// What was found in one file: the symbols that it defines, out of those that some runtime asks for, and where they lie.
struct FileSigns {
  struct Place {
    uint64_t address = 0;
    uint64_t size = 0;
  };
  std::map<std::string_view, Place> symbols;
};

struct RuntimeSigns {
  std::string_view name;
  std::vector<std::string_view> files;     // libraries worth a look: how their base names begin; the executable always is
  std::vector<std::string_view> sections;  // any of these …
  std::vector<std::string_view> symbols;   // … or any of these, defined, says that it is there
  std::vector<std::string_view> version_symbols;
  std::string (*version)(const symbolize::ElfFile&, const FileSigns&, std::string_view base_name);  // null: not cheap
  std::string_view limits;                                                                          // of the native kernel
};

const std::vector<RuntimeSigns>& known_runtimes();

// Bytes of the file at an address of its own; fewer where the file ends.
std::string bytes_at(const symbolize::ElfFile& file, uint64_t address, size_t count);

// "go1.22.3" from a .go.buildinfo section; empty: an older layout or none.
std::string go_version_in(std::span<const std::byte> build_info);

}  // namespace atys::capture
