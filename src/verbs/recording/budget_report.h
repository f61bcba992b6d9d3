// SPDX-License-Identifier: Apache-2.0
// What an answer says about the ledger that paid for it.
#pragma once

#include <string>
#include <vector>

#include "budget/charge.h"

namespace atys::verbs {

struct BudgetReport {
  std::string ledger;
  budget::Charge charged;            // for this call
  budget::Charge left;               // now, after it and after all others
  budget::Charge limit;              // in all
  std::vector<std::string> lowered;  // what was done less than asked, and why
};

}  // namespace atys::verbs
