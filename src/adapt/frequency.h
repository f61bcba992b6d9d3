// SPDX-License-Identifier: Apache-2.0
// At which rate to sample the next window (FDA): high where a service changes, low where it does not.
#pragma once

#include <cstdint>
#include <memory>

#include "adapt/shares.h"

namespace atys::adapt {

// What a task asks for. A threshold is a Jensen-Shannon divergence in bits; `atys calibrate` proposes one.
struct FrequencyPlan {
  double min_hz = 9;
  double max_hz = 499;
  double threshold = 0.01;
  size_t top = 10;  // how many functions are looked at
  // The paper's algorithm alone: a rate is multiplied by `decay` after so many windows below the threshold.
  double decay = 0.8;
  size_t stable_windows = 5;
  // Ours alone: how much of what one window holds at the highest rate is worth having at once after a change.
  double goal = 0.75;

  bool operator==(const FrequencyPlan&) const = default;
};

struct NextWindow {
  double hz = 0;
  bool changed = false;  // this window is not like those before it
  // Windows of one stretch are alike, and may be pooled. The window in which something changed has a number of its own: it
  // holds some of what was before and some of what came then (stretch.h, mixture.h).
  uint64_t stretch = 0;
  Shares before;          // what was known until then; of such a window alone
  double divergence = 0;  // that the decision was made by
};

class FrequencyPolicy {
 public:
  virtual ~FrequencyPolicy() = default;
  virtual double first_hz() const = 0;
  // `hz`: the rate that the window was in fact sampled at, which a budget may have lowered.
  virtual NextWindow next(const Shares& window, double hz) = 0;
};

// Always the same.
std::unique_ptr<FrequencyPolicy> fixed_frequency(double hz);
// Algorithm 1 of the paper, as written.
std::unique_ptr<FrequencyPolicy> paper_frequency(const FrequencyPlan& plan);
// Ours: docs/decisions/0017 says why it is better, and where not.
std::unique_ptr<FrequencyPolicy> pooled_frequency(const FrequencyPlan& plan);

}  // namespace atys::adapt
