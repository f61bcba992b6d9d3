// SPDX-License-Identifier: Apache-2.0
// The form for clients that can afford one answer: the functions that are likeliest the culprit, and the calls that lead to
// them. The runtime (the language's own library with it) cannot be changed by who reads this, so what it costs is charged
// to who called it; packages can, so their functions are candidates beside the user's own. No one order finds every culprit
// (a leaf is hot by itself, a loop by what it calls, a package by who calls it), so the rows are taken in turn from three:
// what a function costs by itself with the runtime below it; what a function of the user's costs with the packages below it
// too; and the total of functions that neither only pass on nor hold everything. Last comes what the runtime does by itself.
#pragma once

#include <vector>

#include "reduce/code_origins.h"
#include "reduce/form_rows.h"

namespace atys::reduce {

struct Brief {
  std::vector<BriefRow> rows;
  std::vector<TreeNode> calls;
  size_t functions = 0;  // in all that cost something
};

Brief brief(const Profile& profile, size_t column, const CodeOrigins& code, size_t most);

}  // namespace atys::reduce
