// SPDX-License-Identifier: Apache-2.0
// What places cost with the code below them that cannot be changed: each sample is charged to the innermost place of code
// that can. Places are the entities of any dimension: lines, files, modules, threads, labels. For functions see brief.h.
#pragma once

#include <string>
#include <vector>

#include "reduce/attribution.h"
#include "reduce/code_origins.h"

namespace atys::reduce {

struct ChargedPlace {
  Entity entity;
  Origin origin = Origin::Own;  // of the function that was there first; of threads and labels that of the first charged
  double self = 0;
  double total = 0;
  double charged = 0;       // adds up to the whole
  std::string callee = {};  // what it calls itself and is charged most for; of threads and labels the costliest function
  double callee_value = 0;
};

// `most`: the deepest code that is charged. A sample that passes through none is charged to the best that it has. Those that
// are charged most first; none that is charged nothing.
std::vector<ChargedPlace> charged_places(const Profile& profile, size_t column, const Dimension& by, const CodeOrigins& code,
                                         Origin most);

}  // namespace atys::reduce
