// SPDX-License-Identifier: Apache-2.0
// How far a process has moved the code of a file.
#pragma once

#include <cstdint>
#include <optional>

#include "symbolize/elf_file.h"

namespace atys::unwind {

// Address in the process less address in the file, for an executable mapping that begins at `start` and shows the file from
// `file_offset` on; modulo 2^64. Not to be had from the file offset alone: segments may share a page of the file (lld,
// mold), so that the first bytes of the mapping are those of the segment before, whose addresses are others.
std::optional<uint64_t> code_bias(const symbolize::ElfFile& file, uint64_t start, uint64_t file_offset);

}  // namespace atys::unwind
