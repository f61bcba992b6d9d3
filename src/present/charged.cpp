// SPDX-License-Identifier: Apache-2.0
#include "present/charged.h"

#include "budget/token_meter.h"

namespace atys::present {

uint64_t tokens_of(const std::string& text) { return budget::count_upper_bound(text); }

Error does_not_fit(uint64_t needed, uint64_t granted) {
  return fail(ErrorCode::BudgetSpent,
              needed > granted ? "the shortest answer takes " + std::to_string(needed) + " tokens, " +
                                     std::to_string(granted) + " may be used"
                               : "no answer fits into the " + std::to_string(granted) + " tokens that may be used",
              "text is shorter than --json; the profile is kept: atys list");
}

}  // namespace atys::present
