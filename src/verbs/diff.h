// SPDX-License-Identifier: Apache-2.0
// What changed between two profiles, and whether the samples are enough to say so.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "reduce/diff.h"
#include "verbs/budget_report.h"
#include "verbs/view.h"

namespace atys::verbs {

struct DiffRequest {
  std::string base;
  std::string fresh;
  View view;
  reduce::Measure measure = reduce::Measure::Self;
};

struct DiffAnswer {
  std::string base_reference;
  std::string fresh_reference;
  ProfileInfo base;
  ProfileInfo fresh;
  std::string form;
  std::string by;
  reduce::Measure measure = reduce::Measure::Self;
  bool has_significant_change = false;
  double distance = 0;
  std::vector<reduce::DiffRow> rows;  // significant ones first, largest change first
  Omitted omitted;
  Tokens tokens;
  std::vector<std::string> next;
  std::optional<BudgetReport> ledger;
};

Result<DiffAnswer> diff(const DiffRequest& request);

}  // namespace atys::verbs
