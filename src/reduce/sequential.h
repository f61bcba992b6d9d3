// SPDX-License-Identifier: Apache-2.0
// Looking at data while it comes in, without paying for each look with false alarms: a group-sequential plan spends the 5 %
// over the looks, so that one may stop at any of them. Spending after Lan and DeMets (1983), in the manner of Pocock: about
// as strict at each look, so that large differences are found early.
#pragma once

#include <cstddef>
#include <vector>

namespace atys::reduce {

// When to look: after 7, 12, 20, 30, 45, 70, 100 … pairs and after the last. Fewer than 7 pairs cannot decide anything: the
// smallest p-value that 6 pairs have is 3 %, and one look must leave something for the next.
inline constexpr size_t kFewestPairs = 7;
std::vector<size_t> looks_up_to(size_t most_pairs);

class SpendingPlan {
 public:
  explicit SpendingPlan(size_t most_pairs, double alpha = 0.05);

  // The two-sided level of a test made now, at `pairs` pairs, more than at the look before. The last look gets all that is
  // left, also when it comes earlier than planned.
  double next_level(size_t pairs, bool is_last);

 private:
  void keep_inside(double bound, double step);

  double most_pairs_;
  double alpha_;
  double spent_ = 0;
  double seen_ = 0;              // pairs at the last look
  std::vector<double> places_;   // of a Brownian path that has crossed no bound so far, at that time
  std::vector<double> weights_;  // their probabilities
};

}  // namespace atys::reduce
