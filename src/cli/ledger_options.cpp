// SPDX-License-Identifier: Apache-2.0
#include "cli/ledger_options.h"

#include <cstdlib>

namespace atys::cli {

void LedgerFlags::define(CLI::App& app) {
  app.add_option("--ledger", said_.id, "The ledger that pays for the call (default: ATYS_LEDGER; see atys ledger)")
      ->type_name("LEDGER")
      ->group("Budget");
  app.add_flag("--all-or-nothing", said_.all_or_nothing, "Refuse what the ledger cannot pay for, instead of doing less")
      ->group("Budget");
}

verbs::LedgerChoice LedgerFlags::choice() const {
  verbs::LedgerChoice choice = said_;
  const char* set = std::getenv("ATYS_LEDGER");
  if (choice.id.empty() && set != nullptr) choice.id = set;
  return choice;
}

Result<std::vector<std::string>> paid_without_answer(verbs::ChargedCall& call, std::vector<std::string> notes) {
  if (!call.is_charged()) return notes;
  std::string lines = present::text::budget_lines(TRY(call.settle(0)));
  if (!lines.empty()) lines.pop_back();
  notes.push_back(std::move(lines));
  return notes;
}

}  // namespace atys::cli
