// SPDX-License-Identifier: Apache-2.0
// The question that joins profiles with traces: what did this trace, span or request spend, and which of them are behind
// this function? Any label that samples carry can be asked about in the same way.
#pragma once

#include <optional>
#include <string>

#include "verbs/recording/budget_report.h"
#include "verbs/summary.h"
#include "verbs/view/follow_up.h"

namespace atys::verbs {

struct LinkRequest {
  std::string profile;
  std::string trace;   // 32 hexadecimal digits
  std::string span;    // 16
  std::string behind;  // a regular expression: functions whose spans are wanted
  std::string by;      // label that tells the rows of `groups` apart; empty: what fits the question
  View view;           // with the conditions on labels and time
};

struct LinkAnswer {
  std::string reference;
  ProfileInfo profile;  // the whole
  std::string asked;    // "trace_id=4bf9…", for people
  double value = 0;     // what it spent
  double percent = 0;   // of the whole
  double samples = 0;
  SummaryAnswer spent;   // on what; its rows are shares of what was asked about
  SummaryAnswer groups;  // the spans of the trace, or the spans behind the function
  Tokens tokens;
  std::vector<FollowUp> next;
  std::optional<BudgetReport> ledger;
};

// What is wrong with a request before anything is read.
Result<> check(const LinkRequest& request);

Result<LinkAnswer> link(const LinkRequest& request);

}  // namespace atys::verbs
