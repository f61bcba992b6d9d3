// SPDX-License-Identifier: Apache-2.0
// Whether two windows differ, or only seem to. Two samples of one and the same distribution differ too, the more so the
// fewer they are: at low rates that alone passes any threshold on the plain Jensen-Shannon divergence. So what noise gives
// on average is taken off, and a difference must be one that noise hardly ever makes.
#pragma once

#include "adapt/shares.h"

namespace atys::adapt {

struct Divergence {
  double js = 0;           // Jensen-Shannon, base 2, 0 to 1, as measured
  double noise = 0;        // what it would be on average if nothing had changed
  double chi_squared = 0;  // of the same difference
  double degrees = 0;      // of freedom; 0: there is nothing to compare
  // Of the function for which it is least likely that as many samples were within it, or in what it called, by chance.
  double within_excess = 0;
  double within_p = 1;  // for as many functions as were looked at

  // The larger of both. Services that do different things with the same libraries differ in what is called from where, and
  // little in which functions run.
  double excess() const;
  // How likely a difference as large is if nothing had changed.
  double p_value() const;
};

// By the `top` largest functions of both together; the others, and those too rare to be judged, count as one.
Divergence compare(const Shares& a, const Shares& b, size_t top);

// The paper's: the shares among the `top` functions of each window, noise included.
double plain_divergence(const Shares& a, const Shares& b, size_t top);

}  // namespace atys::adapt
