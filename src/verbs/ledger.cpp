// SPDX-License-Identifier: Apache-2.0
#include "verbs/ledger.h"

#include "store/library.h"

namespace atys::verbs {

std::string ledger_folder() { return store::Library::open_default().home() + "/ledgers"; }

Result<LedgerAnswer> ledger(const LedgerRequest& request) {
  const bool is_new = request.action == LedgerAction::New;
  const std::string id = is_new ? TRY(budget::Ledger::create(ledger_folder(), request.budget)) : request.id;
  budget::Ledger ledger = TRY(budget::Ledger::open(ledger_folder(), id));
  return LedgerAnswer{request.action, TRY(request.action == LedgerAction::Close ? ledger.close() : ledger.state())};
}

}  // namespace atys::verbs
