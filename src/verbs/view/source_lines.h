// SPDX-License-Identifier: Apache-2.0
// The text of hot lines, where the source lies on this machine. Profiles come from anywhere and may name any file: only
// regular files whose name says that they are source code, and that who asks may see, are read, a bounded number of them,
// each bounded in size.
#pragma once

#include <vector>

#include "reduce/form_rows.h"

namespace atys::verbs {

// Fills in `source` of the rows that have a file and a line. Returns how many texts are of a file that was changed after
// `recorded_until_ns` (Unix time; 0: unknown), so that they may not be what ran; those are left out. Only of files
// that who asks may see (see source_access.h); nothing is opened else.
size_t add_source_lines(std::vector<reduce::LineRow>& rows, int64_t recorded_until_ns);

}  // namespace atys::verbs
