// SPDX-License-Identifier: Apache-2.0
// Whether a connection makes more work than it is worth: what costs us and brings nothing (resets, pings, settings, calls
// that are refused) draws on an account that time fills slowly, and calls that are answered fill quickly.
#pragma once

#include <algorithm>
#include <cstdint>

namespace atys::net {

class FloodMeter {
 public:
  explicit FloodMeter(uint64_t now_ns) : last_ns_(now_ns) {}

  // False: it is a flood.
  bool charge(double cost, uint64_t now_ns) {
    const double seconds = static_cast<double>(now_ns - last_ns_) / 1e9;
    last_ns_ = now_ns;
    account_ = std::min(kMost, account_ + seconds * kPerSecond) - cost;
    return account_ >= 0;
  }
  void reward(double worth) { account_ = std::min(kMost, account_ + worth); }

 private:
  static constexpr double kMost = 500;
  static constexpr double kPerSecond = 50;
  double account_ = kMost;
  uint64_t last_ns_;
};

}  // namespace atys::net
