// SPDX-License-Identifier: Apache-2.0
// The form for clients that can afford one answer: the functions that are likeliest the culprit, and the calls that lead to
// them. No one order finds every culprit (a leaf is hot by itself, a loop by what it calls, a library by who calls it), so
// the rows are taken in turn from several: self time charged to the user's code, self time of any code but the runtime's,
// total time of functions that do more than pass on, and the functions of libraries that the user's code calls.
#pragma once

#include <vector>

#include "reduce/code_origins.h"
#include "verbs/summary.h"

namespace atys::verbs {

struct Brief {
  std::vector<SummaryRow> rows;
  std::vector<SummaryRow> tree;
  size_t functions = 0;  // in all that cost something
};

Brief brief(const ViewedProfile& viewed, const reduce::CodeOrigins& code, size_t most);

}  // namespace atys::verbs
