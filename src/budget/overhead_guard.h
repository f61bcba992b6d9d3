// SPDX-License-Identifier: Apache-2.0
// Keeps a recording inside its overhead cap. Measures what we spend (our own CPU time and that of our programs in the
// kernel) against what the target spends, and lowers the rate before the cap is passed. Pure: readings in, rates out.
//
// Overhead is our CPU time over the larger of two: the CPU time of the target, and one core for as long as we look. So an
// idle target is not charged for our looking at it more than a busy one, and 1 % means at most 1 % of what the target could
// do.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace atys::budget {

// Totals since the beginning; each may only grow.
struct OverheadReading {
  uint64_t elapsed_ns = 0;
  uint64_t own_cpu_ns = 0;     // of our process
  uint64_t kernel_cpu_ns = 0;  // of our programs in the kernel
  uint64_t target_cpu_ns = 0;
  uint64_t samples = 0;
};

struct OverheadPlan {
  double cap = 0.01;  // share, 0.01 is 1 %
  double asked_hz = 99;
  uint64_t duration_ns = 0;      // 0: not known
  uint64_t interrupt_ns = 1500;  // what the kernel spends on a sample outside of our programs
};

class OverheadGuard {
 public:
  explicit OverheadGuard(const OverheadPlan& plan);

  // The rate to begin with, before anything was measured.
  double first_hz() const { return granted_hz_; }
  // Takes a reading, some ten a second, and says at which rate to go on.
  double update(const OverheadReading& reading);
  // Another rate is wanted from now on; a lower one is granted at once, a higher one as far as a beginning would grant it,
  // if there is room below the cap, and from there as far as it can be afforded. Says at which rate to go on.
  double ask(uint64_t elapsed_ns, double hz);

  // Our share so far, by the reading given.
  double overhead(const OverheadReading& reading) const;
  // Our share in the last interval that had samples enough to tell: without what the beginning cost.
  double recent_overhead() const { return recent_; }

  // Every change, oldest first; bounded, so a long recording keeps the latest.
  struct Grant {
    uint64_t elapsed_ns = 0;
    double hz = 0;
  };
  const std::vector<Grant>& grants() const { return grants_; }
  double lowest_hz() const { return lowest_hz_; }
  bool grants_all() const { return granted_hz_ >= plan_.asked_hz; }

 private:
  uint64_t spent(const OverheadReading& reading) const;
  static uint64_t allowance(const OverheadReading& reading);
  void grant(uint64_t elapsed_ns, double hz);

  OverheadPlan plan_;
  double granted_hz_ = 0;
  double lowest_hz_ = 0;
  std::array<double, 3> costs_{};  // of a sample in ns, in the last intervals
  OverheadReading last_;
  double recent_ = 1;  // nothing was measured yet
  std::vector<Grant> grants_;
};

}  // namespace atys::budget
