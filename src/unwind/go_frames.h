// SPDX-License-Identifier: Apache-2.0
// Rules of Go's functions from the table of its runtime (.gopclntab), for programs that were stripped of .debug_frame.
#pragma once

#include <memory>
#include <vector>

#include "symbolize/elf_file.h"
#include "symbolize/go_table.h"
#include "unwind/frame_program.h"

namespace atys::unwind {

// Rows as FramePrograms makes them; none if the file is no program of Go.
std::vector<Row> go_rows(const symbolize::GoTable& table, Machine machine);

// The first function on a stack of Go, by its name in any table.
bool is_go_root(std::string_view function);

}  // namespace atys::unwind
