// SPDX-License-Identifier: Apache-2.0
// A window in which a service changed holds some of what was before and some of what came then. How much of each is one
// number, which few samples are enough for; the rest is known from the windows on both sides.
#pragma once

#include "adapt/shares.h"

namespace atys::adapt {

struct Mixture {
  double before = 0;  // the part of what was before, 0 to 1
  double error = 1;   // of that part, one standard error at most
  bool fits = false;  // else the window is something of its own
};

// Whether the window may be a sample of what is known.
bool is_like(const Shares& known, const Shares& window);

Mixture fit_mixture(const Shares& before, const Shares& window, const Shares& after);

}  // namespace atys::adapt
