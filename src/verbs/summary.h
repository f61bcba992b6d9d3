// SPDX-License-Identifier: Apache-2.0
// The first question of everyone: what costs the most?
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "reduce/attribution.h"
#include "reduce/confidence.h"
#include "verbs/budget_report.h"
#include "verbs/view.h"

namespace atys::verbs {

struct SummaryRequest {
  std::string profile;
  View view;
};

// A row of a table, a hot path, or a node of a tree, as the form says.
struct SummaryRow {
  reduce::Entity entity;
  double self = 0;
  double self_percent = 0;
  double total = 0;
  double total_percent = 0;
  reduce::Interval ci95;          // of self_percent in tables, of total_percent in paths and trees
  std::vector<std::string> path;  // form paths: root first
  size_t depth = 0;               // form tree
  size_t recursion = 0;           // form tree: how many calls of itself were folded into this node
};

struct SummaryAnswer {
  std::string reference;
  ProfileInfo profile;
  std::string form;
  std::string by;
  std::vector<SummaryRow> rows;
  Omitted omitted;
  Tokens tokens;
  std::vector<std::string> next;  // the questions that would tell most now, as commands
  std::optional<BudgetReport> ledger;
};

Result<SummaryAnswer> summary(const SummaryRequest& request);

// The same of a profile at hand; `reference` is how it can be asked about again, "-": it cannot.
Result<SummaryAnswer> summarize(const ViewedProfile& viewed, const std::string& reference, View view);

}  // namespace atys::verbs
