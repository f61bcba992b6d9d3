// SPDX-License-Identifier: Apache-2.0
#include "present/json/estimate.h"

#include <cmath>
#include <initializer_list>
#include <variant>

namespace atys::present::json {

namespace {

void round(double& value) { value = std::round(value * 100) / 100; }

void round(std::initializer_list<double*> values) {
  for (double* value : values) round(*value);
}

void round_costs(reduce::CostRow& row) { round({&row.self_percent, &row.total_percent, &row.ci95.low, &row.ci95.high}); }

// What a form has beside the costs of its rows.
void round_rest(reduce::TableRows& table) {
  for (reduce::TableRow& row : table.rows)
    if (row.charged) round(row.charged->percent);
}

void round_rest(reduce::PathRows& paths) {
  for (reduce::HotPhase& phase : paths.phases) round({&phase.from_seconds, &phase.to_seconds, &phase.percent});
}

void round_rest(reduce::TreeRows& tree) {
  for (reduce::TreeNode& node : tree.rows) node.path.clear();  // `depth` says as much
}

void round_rest(reduce::BriefRows& brief) {
  for (reduce::BriefRow& row : brief.rows) round({&row.charged.percent, &row.callee_percent});
  for (reduce::TreeNode& call : brief.calls) round_costs(call);
}

void round_rest(reduce::LineRows& /*lines*/) {}
void round_rest(reduce::RawRows& /*stacks*/) {}

}  // namespace

void round_numbers(verbs::SummaryAnswer& answer) {
  const auto round_rows = [](auto& of_form) {
    for (reduce::CostRow& row : of_form.rows) round_costs(row);
    round_rest(of_form);
  };
  std::visit(round_rows, answer.rows);
  round(
      {&answer.shares.own, &answer.shares.library, &answer.shares.runtime, &answer.shares.outside, &answer.omitted.percent});
  for (verbs::OmittedGroup& group : answer.omitted.groups) round(group.percent);
}

std::string too_short(size_t cap) {
  return render(fail(ErrorCode::InvalidInput, "no JSON answer fits into " + std::to_string(cap) + " tokens",
                     "allow more, or ask for text"));
}

}  // namespace atys::present::json
