// SPDX-License-Identifier: Apache-2.0
// From a position in the bytecode of a function to a line.
#pragma once

#include <cstdint>
#include <string_view>

namespace atys::capture::python {

// `offset` is in bytes from the start of the bytecode. 0: that code has no line. The table is read as far as it makes sense.
int64_t line_of(uint32_t minor, std::string_view table, int64_t first_line, int64_t offset);

}  // namespace atys::capture::python
