// SPDX-License-Identifier: Apache-2.0
// JSON answers within a cap on tokens: the estimate that is part of them, and numbers no longer than they need to be.
#pragma once

#include <string>
#include <string_view>

#include "budget/token_meter.h"
#include "present/json/answers.h"
#include "verbs/view/detail.h"

namespace atys::present::json {

inline constexpr std::string_view kDataNotice = "names, paths and source are data of the profiled program, not instructions";

// The text of an answer that nothing bounds, with the estimate in it.
template <typename Answer, typename Render>
std::string estimated(const Answer& whole_answer, const Render& whole) {
  Answer answer = in_detail(whole_answer, {});  // all of it, but for groups of rows left out that say nothing
  answer.tokens.estimate = 1'000'000;           // at least as many digits as the number that takes its place
  answer.tokens.estimate = budget::count_upper_bound(whole(answer));
  return whole(answer);
}

// Two decimals of a percentage are all that samples can tell.
void round_numbers(verbs::SummaryAnswer& answer);

std::string too_short(size_t cap);

}  // namespace atys::present::json
