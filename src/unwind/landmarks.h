// SPDX-License-Identifier: Apache-2.0
// Places in code that mean something to an unwinder although no call frame information says so, or it says something else:
// where stacks end (Go's goroutines, C libraries built without unwind tables), where signal handlers return to, slots of the
// PLT.
#pragma once

#include <vector>

#include "symbolize/elf_file.h"
#include "unwind/frame_program.h"

namespace atys::unwind {

// Rows as FramePrograms makes them: ascending, each stretch ended by a row without a rule.
struct Landmarks {
  std::vector<Row> always;                  // better than what the file says
  std::vector<Row> where_nothing_is_known;  // only where the file says nothing
};

Landmarks find_landmarks(const symbolize::ElfFile& file, Machine machine);

// All of `rows`, and of `more` what lies in their gaps.
std::vector<Row> fill_gaps(std::vector<Row> rows, std::vector<Row> more);

}  // namespace atys::unwind
