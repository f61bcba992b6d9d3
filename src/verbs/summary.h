// SPDX-License-Identifier: Apache-2.0
// The first question of everyone: what costs the most?
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "reduce/form_rows.h"
#include "reduce/own_code.h"
#include "verbs/recording/budget_report.h"
#include "verbs/view/follow_up.h"
#include "verbs/view/view.h"

namespace atys::verbs {

struct SummaryRequest {
  std::string profile;
  View view;
};

// Whose code the samples end in, in percent of all; `level` is what stood for the user's code where there was none.
struct CodeShares {
  double own = 0;
  double library = 0;
  double runtime = 0;
  double outside = 0;  // pass through no code of the user
  reduce::Origin level = reduce::Origin::Own;
};

// The function to begin with: it costs the most, with the library and runtime code that it calls.
struct Costliest {
  reduce::Entity entity;
  double percent = 0;  // of the whole
};

struct SummaryAnswer {
  std::string reference;
  ProfileInfo profile;
  std::optional<Costliest> costliest;  // none: nothing was recorded, or only what no code of the program asked for
  std::string by;
  reduce::FormRows rows;
  CodeShares shares;
  std::vector<std::string> remarks;  // what a reader has to know to read the rows rightly
  Omitted omitted;
  Tokens tokens;
  bool full_names = false;     // rather leave out rows than shorten names
  std::vector<FollowUp> next;  // the questions that would tell most now
  std::optional<BudgetReport> ledger;

  reduce::Form form() const { return reduce::form_of(rows); }
};

Result<SummaryAnswer> summary(const SummaryRequest& request);

// The same of a profile at hand; `reference` is how it can be asked about again, "-": it cannot.
Result<SummaryAnswer> summarize(const ViewedProfile& viewed, const std::string& reference, View view);

}  // namespace atys::verbs
