// SPDX-License-Identifier: Apache-2.0
// How different two profiles are, in one number.
#pragma once

#include "reduce/top.h"

namespace atys::reduce {

// Jensen-Shannon divergence, base 2, of the distributions of self value over the entities: 0 for the same distribution, 1
// for profiles that have nothing in common. Symmetric. Entities with a negative value count as having none.
double distance(const Top& a, const Top& b);

}  // namespace atys::reduce
