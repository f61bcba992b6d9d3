// SPDX-License-Identifier: Apache-2.0
// The forms `table` and `lines`, and `brief` of anything but functions. A table has the costliest by itself first, the
// others those that pay for most.
#pragma once

#include "reduce/code_origins.h"
#include "reduce/form_rows.h"

namespace atys::reduce {

// Of functions, with whose code they are and what other code they have to answer for. `code` is of the same column.
TableRows table_rows(const Profile& profile, size_t column, const Dimension& by, const CodeOrigins& code);

// Lines of the user's own code, with what it calls there. Without the text of the lines.
LineRows line_rows(const Profile& profile, size_t column, const CodeOrigins& code);

// Files, modules, threads or labels, each with the library and runtime code that it calls.
BriefRows brief_rows(const Profile& profile, size_t column, const Dimension& by, const CodeOrigins& code);

}  // namespace atys::reduce
