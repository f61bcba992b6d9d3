// SPDX-License-Identifier: Apache-2.0
// What is compared in each form of a diff: functions, lines, whole paths, or the nodes of the tree of the user's own code.
// Each is a list of entities with their self and total values, so one comparison serves all forms.
#pragma once

#include "reduce/own_code.h"
#include "reduce/top.h"
#include "verbs/view.h"

namespace atys::verbs {

// Fails for a form that there is not.
Result<reduce::Dimension> diff_dimension(const View& view);

reduce::Top top_in_form(const ViewedProfile& viewed, const View& view, const reduce::Dimension& by,
                        const reduce::OwnCode& own_code);

}  // namespace atys::verbs
