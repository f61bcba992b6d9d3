// SPDX-License-Identifier: Apache-2.0
#include "adapt/frequency.h"

#include <algorithm>

#include "adapt/divergence.h"
#include "adapt/stretch.h"

namespace atys::adapt {

namespace {

class Fixed : public FrequencyPolicy {
 public:
  explicit Fixed(double hz) : hz_(hz) {}
  double first_hz() const override { return hz_; }
  NextWindow next(const Shares&, double) override { return {.hz = hz_}; }

 private:
  double hz_;
};

class Paper : public FrequencyPolicy {
 public:
  explicit Paper(const FrequencyPlan& plan) : plan_(plan), hz_(plan.max_hz) {}
  double first_hz() const override { return hz_; }

  NextWindow next(const Shares& window, double) override {
    NextWindow answer;
    if (has_last_) answer.divergence = plain_divergence(last_, window, plan_.top);
    answer.changed = answer.divergence > plan_.threshold;
    stable_ = answer.changed ? 0 : stable_ + 1;
    if (answer.changed) {
      hz_ /= plan_.decay;
      stretch_ = next_stretch(stretch_);
    } else if (stable_ > plan_.stable_windows) {
      hz_ *= plan_.decay;
    }
    hz_ = std::clamp(hz_, plan_.min_hz, plan_.max_hz);
    last_ = window;
    has_last_ = true;
    answer.hz = hz_;
    answer.stretch = stretch_;
    return answer;
  }

 private:
  FrequencyPlan plan_;
  double hz_;
  Shares last_;
  bool has_last_ = false;
  size_t stable_ = 0;
  uint64_t stretch_ = 0;
};

}  // namespace

std::unique_ptr<FrequencyPolicy> fixed_frequency(double hz) { return std::make_unique<Fixed>(hz); }
std::unique_ptr<FrequencyPolicy> paper_frequency(const FrequencyPlan& plan) { return std::make_unique<Paper>(plan); }

}  // namespace atys::adapt
