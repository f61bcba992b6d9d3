// SPDX-License-Identifier: Apache-2.0
// What a client may still spend: makes, shows and ends ledgers.
#pragma once

#include <string>

#include "base/result.h"
#include "budget/ledger.h"

namespace atys::verbs {

enum class LedgerAction { New, Show, Close };

struct LedgerRequest {
  LedgerAction action = LedgerAction::Show;
  std::string id;         // not of New
  budget::Budget budget;  // of New
};

struct LedgerAnswer {
  LedgerAction action = LedgerAction::Show;
  budget::LedgerState state;
};

Result<LedgerAnswer> ledger(const LedgerRequest& request);

// Where ledgers are kept: below ATYS_HOME.
std::string ledger_folder();

}  // namespace atys::verbs
