// SPDX-License-Identifier: Apache-2.0
// All sections of an ELF file, one after the other.
#pragma once

#include <gelf.h>

#include <string_view>

#include "symbolize/elf_file.h"

namespace atys::symbolize {

// Calls `use(name, section, header)` for each; those whose header cannot be read are left out.
template <typename Use>
void for_each_section(const ElfFile& file, const Use& use) {
  size_t names = 0;
  if (elf_getshdrstrndx(file.handle(), &names) != 0) return;
  Elf_Scn* section = nullptr;
  while ((section = elf_nextscn(file.handle(), section)) != nullptr) {
    GElf_Shdr header;
    if (gelf_getshdr(section, &header) == nullptr) continue;
    const char* name = elf_strptr(file.handle(), names, header.sh_name);
    use(name == nullptr ? std::string_view() : std::string_view(name), section, header);
  }
}

}  // namespace atys::symbolize
