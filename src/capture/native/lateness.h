// SPDX-License-Identifier: Apache-2.0
// Whether we had to wait for a CPU when it was time to look. If we had, whoever gave it to us chose the moment.
#pragma once

#include <algorithm>
#include <cstdint>

namespace atys::capture::native {

// Some waiting there always is: from the interrupt of our timer until the system has changed over to us. How long that takes
// is different from machine to machine, and changes with what they do: we learn what a quarter of our waits stay below.
class Lateness {
 public:
  void see(uint64_t waited_ns) {
    const auto waited = static_cast<double>(waited_ns);
    is_late_ = waited > kMore * usual_ns_ + kMoreNs;
    if (waited_ns == 0) return;  // the CPU had nothing to do: says nothing of one that has
    const double change = waited > usual_ns_ ? 1 + kStep * kQuantile : 1 - kStep * (1 - kQuantile);
    usual_ns_ = std::clamp(usual_ns_ * change, kLeastNs, kMostNs);
  }
  bool is_late() const { return is_late_; }

 private:
  static constexpr double kQuantile = 0.25;
  static constexpr double kStep = 0.2;
  static constexpr double kMore = 1.5;
  static constexpr double kMoreNs = 5'000;
  static constexpr double kLeastNs = 1'000;
  static constexpr double kMostNs = 40'000;  // who waits for longer waits for somebody

  double usual_ns_ = 10'000;
  bool is_late_ = false;
};

}  // namespace atys::capture::native
