// SPDX-License-Identifier: Apache-2.0
// How a runtime is recognised in the files that a process has mapped.
#pragma once

#include <cstring>
#include <map>
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
  std::string_view name;                   // "Python"
  std::vector<std::string_view> programs;  // how the base names of its interpreters begin; for who has not started one yet
  std::vector<std::string_view> files;     // libraries worth a look: how their base names begin; the executable always is
  std::vector<std::string_view> sections;  // any of these …
  std::vector<std::string_view> symbols;   // … or any of these, defined, says that it is there
  std::vector<std::string_view> version_symbols;
  std::string (*version)(const symbolize::ElfFile&, const FileSigns&, std::string_view base_name);  // null: not cheap
};

// Bytes of the file at an address of its own; fewer where the file ends.
std::string bytes_at(const symbolize::ElfFile& file, uint64_t address, size_t count);

// A number, or text that looks like a version, that a runtime exports; false, empty: it does not.
template <typename Number>
bool read_number(const symbolize::ElfFile& file, const FileSigns& signs, std::string_view symbol, Number& number) {
  const auto found = signs.symbols.find(symbol);
  if (found == signs.symbols.end()) return false;
  const std::string bytes = bytes_at(file, found->second.address, sizeof number);
  if (bytes.size() != sizeof number) return false;
  std::memcpy(&number, bytes.data(), sizeof number);
  return true;
}
std::string read_version(const symbolize::ElfFile& file, const FileSigns& signs, std::string_view symbol);

}  // namespace atys::capture
