// SPDX-License-Identifier: Apache-2.0
// Gathers function symbols from the tables of one or several ELF files and makes a SymbolTable of the best of them.
#pragma once

#include <gelf.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "symbolize/elf_file.h"
#include "symbolize/symbol_table.h"

namespace atys::symbolize {

class SymbolTableBuilder {
 public:
  // Adds the function symbols of the first section of the type (SHT_SYMTAB, SHT_DYNSYM); says how many there were.
  size_t add_table(const ElfFile& file, uint32_t section_type);
  // Adds NAME@plt for the stubs that call into other files.
  void add_plt(const ElfFile& file);
  SymbolTable build();

 private:
  struct Candidate {
    uint64_t address = 0;
    uint64_t size = 0;
    uint64_t limit = 0;  // end of its section; 0: not known
    uint32_t name = 0;
    uint32_t rank = 0;  // lower is better
    uint32_t file = 0;  // of the source; 0: not known
    bool is_size_guessed = false;
  };
  void add_symbol(const ElfFile& file, const GElf_Sym& symbol, const char* name);
  bool add_name(std::string_view name, uint32_t& offset);
  void drop_aliases();
  void drop_labels();
  void find_ends();
  void forget_files_of_lone_names();

  struct SectionEnd {
    uint64_t end = 0;
    bool is_code = false;
  };
  std::vector<SectionEnd> sections_;
  std::vector<Candidate> candidates_;
  uint32_t file_ = 0;        // that the symbols being read are of
  std::string names_{'\0'};  // so that no name is at 0
};

}  // namespace atys::symbolize
