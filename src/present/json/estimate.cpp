// SPDX-License-Identifier: Apache-2.0
#include "present/json/estimate.h"

#include <cmath>

namespace atys::present::json {

namespace {

void round(double& value) { value = std::round(value * 100) / 100; }

}  // namespace

void round_numbers(verbs::SummaryAnswer& answer) {
  for (auto* rows : {&answer.rows, &answer.tree}) {
    for (verbs::SummaryRow& row : *rows) {
      for (double* value :
           {&row.self_percent, &row.total_percent, &row.charged_percent, &row.callee_percent, &row.ci95.low, &row.ci95.high})
        round(*value);
      if (answer.form == "tree") row.path.clear();  // `depth` says as much
    }
  }
  for (double* value :
       {&answer.shares.own, &answer.shares.library, &answer.shares.runtime, &answer.shares.outside, &answer.omitted.percent})
    round(*value);
  for (verbs::OmittedGroup& group : answer.omitted.groups) round(group.percent);
  for (verbs::SummaryPhase& phase : answer.phases)
    for (double* value : {&phase.from_seconds, &phase.to_seconds, &phase.percent}) round(*value);
}

std::string too_short(size_t cap) {
  return render(fail(ErrorCode::InvalidInput, "no JSON answer fits into " + std::to_string(cap) + " tokens",
                     "allow more, or ask for text"));
}

}  // namespace atys::present::json
