// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "base/strings.h"
#include "base/utc_time.h"
#include "present/text/answers.h"
#include "present/text/numbers.h"
#include "present/text/table.h"

namespace atys::present::text {

std::string budget_lines(const std::optional<verbs::BudgetReport>& report) {
  if (!report) return {};
  std::string text;
  for (const std::string& lowered : report->lowered) text += "lowered: " + lowered + "\n";
  std::string left;
  for (const budget::Resource& resource : budget::kResources) {
    if (report->limit.*resource.amount == budget::kUnbounded) continue;
    add_to_list(left, fmt::format("{} {} of {}", resource.name, amount_text(resource, report->left.*resource.amount),
                                  amount_text(resource, report->limit.*resource.amount)));
  }
  return text + fmt::format("budget left: {} (ledger {})\n", left.empty() ? "no limit" : left, report->ledger);
}

std::string render(const verbs::LedgerAnswer& answer) {
  const budget::LedgerState& state = answer.state;
  if (answer.action == verbs::LedgerAction::New) return state.id + "\n";
  std::string text =
      fmt::format("ledger {}, {}, since {}: {} calls, {} under way", state.id, state.is_closed ? "closed" : "open",
                  time_text(state.created_unix_ns), state.calls, state.calls_under_way);
  if (state.calls_lost > 0) text += fmt::format(", {} died and count in full", state.calls_lost);
  text += "\n";
  Table table({{"", Align::Left}, {"in all"}, {"per call"}, {"spent"}, {"reserved"}, {"left"}});
  for (const budget::Resource& resource : budget::kResources) {
    const auto cell = [&](const budget::Charge& charge) { return amount_text(resource, charge.*resource.amount); };
    table.add({resource.name, cell(state.budget.in_all), cell(state.budget.per_call), cell(state.spent),
               cell(state.reserved), cell(state.left)});
  }
  text += table.render();
  for (const budget::Resource& resource : budget::kResources)
    if (const uint64_t over = state.overrun.*resource.amount; over > 0)
      text += fmt::format("{}: {} beyond the budget, used by calls that had begun\n", resource.name,
                          amount_text(resource, over));
  return text;
}

}  // namespace atys::present::text
