// SPDX-License-Identifier: Apache-2.0
#include "present/charged.h"

#include <cmath>

namespace atys::present {

bool shorten(verbs::SummaryAnswer& answer) {
  if (answer.rows.empty()) return false;
  ++answer.omitted.rows;
  answer.omitted.percent += answer.rows.back().self_percent;
  answer.rows.pop_back();
  return true;
}

bool shorten(verbs::DiffAnswer& answer) {
  if (answer.rows.empty()) return false;
  ++answer.omitted.rows;
  answer.omitted.percent += std::abs(answer.rows.back().delta) * 100;
  answer.rows.pop_back();
  return true;
}

bool shorten(verbs::CaptureAnswer& answer) { return shorten(answer.summary); }

uint64_t tokens_of(const std::string& text) { return verbs::tokens_for(text.size()); }

Error does_not_fit(uint64_t needed, uint64_t granted) {
  return fail(ErrorCode::BudgetSpent,
              "the shortest answer takes " + std::to_string(needed) + " tokens, " + std::to_string(granted) + " are left",
              "text is shorter than --json; the profile is kept: atys list");
}

}  // namespace atys::present
