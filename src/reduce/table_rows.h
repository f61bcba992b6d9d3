// SPDX-License-Identifier: Apache-2.0
// The forms `table` and `lines`: what each entity of a dimension costs, the costliest by itself first.
#pragma once

#include "reduce/code_origins.h"
#include "reduce/form_rows.h"

namespace atys::reduce {

// Of functions, with whose code they are and what other code they have to answer for. `code` is of the same column.
TableRows table_rows(const Profile& profile, size_t column, const Dimension& by, const CodeOrigins& code);

// Without the text of the lines.
LineRows line_rows(const Profile& profile, size_t column);

}  // namespace atys::reduce
