// SPDX-License-Identifier: Apache-2.0
// The small symbol table that some distributions leave in stripped files: an ELF file, xz-compressed, in .gnu_debugdata.
#pragma once

#include "base/result.h"
#include "symbolize/elf_file.h"

namespace atys::symbolize {

Result<ElfFile> open_mini_debug(const ElfFile& file);

}  // namespace atys::symbolize
