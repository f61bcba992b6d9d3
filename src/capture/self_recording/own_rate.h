// SPDX-License-Identifier: Apache-2.0
// Which of a recording's rates runtimes that sample themselves are told: they begin anew for each, so not every step of the
// overhead guard, which looks some ten times a second, is for them. Pure.
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>

namespace atys::capture {

class OwnRate {
 public:
  static constexpr double kTrifle = 0.2;  // a fifth more or less
  static constexpr uint64_t kRisePauseNs = 2'000'000'000;

  explicit OwnRate(double hz) : told_hz_(hz) {}

  // What they sample at, or will once they have been told.
  double hz() const { return told_hz_; }

  // The recording's rate is this now; says what to tell them, if they have to be told. A fall is told at once; a rise waits
  // until some time after the last change, so that a guard that tries out what it can afford is not followed up and down.
  // It is asked again and again: what had to wait is told later.
  std::optional<double> follow(double hz, uint64_t now_ns) {
    const double change = std::log(hz / told_hz_);
    if (std::abs(change) < kTrifle) return {};
    if (change > 0 && changed_ns_ && now_ns - *changed_ns_ < kRisePauseNs) return {};
    changed_ns_ = now_ns;
    told_hz_ = hz;
    return hz;
  }

 private:
  double told_hz_;
  std::optional<uint64_t> changed_ns_;
};

}  // namespace atys::capture
