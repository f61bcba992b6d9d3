// SPDX-License-Identifier: Apache-2.0
// How much agents are asked to send, by how much is waiting here: less, quickly, where that piles up; more again, slowly,
// when it is gone. Between two marks nothing changes, so the rate does not swing.
#pragma once

#include <cstdint>

namespace atys::fleet {

class LoadGovernor {
 public:
  // `load`: what waits, as a share of what may wait. `turned_away`: something had to be, since the last time.
  void update(uint64_t now_ns, double load, bool turned_away);
  double factor() const { return factor_; }  // 0 to 1, of every rate
  double load() const { return smooth_; }

  static constexpr double kHighMark = 0.5;
  static constexpr double kLowMark = 0.2;
  static constexpr double kLeastFactor = 0.02;

 private:
  uint64_t last_ns_ = 0;
  double smooth_ = 0;
  double factor_ = 1;
};

}  // namespace atys::fleet
