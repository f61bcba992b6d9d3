// SPDX-License-Identifier: Apache-2.0
// What is compared in each form of a diff: functions, lines, whole paths, or the nodes of the tree of the user's own code.
// Each is a list of entities with their self and total values, so one comparison serves all forms.
#pragma once

#include <string_view>

#include "reduce/form.h"
#include "reduce/own_code.h"
#include "reduce/top.h"

namespace atys::reduce {

// What the rows of a form are of; `by` is what tables are grouped by. Fails for a dimension that there is not.
Result<Dimension> dimension_of(Form form, std::string_view by);

Top top_in_form(const Profile& profile, size_t column, Form form, const Dimension& by, const OwnCode& own_code);

}  // namespace atys::reduce
