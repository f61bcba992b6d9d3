// SPDX-License-Identifier: Apache-2.0
#include "present/fit.h"

namespace atys::present {

size_t details_for(const verbs::Tokens& bounds) {
  if (!bounds.cap || *bounds.cap >= 1000) return 3;
  return *bounds.cap >= 400 ? 4 : std::size(kDetails);
}

size_t questions_that_fit(const std::vector<verbs::FollowUp>& next, FollowUpText as, const verbs::Tokens& bounds) {
  const size_t room = bounds.cap ? *bounds.cap / 3 : SIZE_MAX;
  size_t taken = 0;
  size_t count = 0;
  for (const verbs::FollowUp& question : next) {
    taken += budget::count_upper_bound(as(question)) + 2;
    if (taken > room) break;
    ++count;
  }
  return count;
}

}  // namespace atys::present
