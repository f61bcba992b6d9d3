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
  reduce::Interval ci95 = {};          // of self_percent in tables, of total_percent in paths and trees
  std::vector<std::string> path = {};  // forms paths, raw: root first; trees: the way to the node
  size_t depth = 0;                    // trees
  size_t recursion = 0;                // trees: how many calls of itself, also through others, were folded into this node
  // Of functions: with what libraries and runtime cost below it, where it is the innermost function of the user's own code.
  double charged = 0;
  double charged_percent = 0;
  std::string callee = {};  // form brief: what it calls itself and is charged most for, with how much of the whole that is
  double callee_percent = 0;
  std::string origin = {};  // own, library or runtime; empty: does not apply
  std::string source = {};  // form lines: the text of the line, where the file is at hand
  size_t rank = 0;          // the row to leave out first has the largest
  bool is_shortened = false;
  std::vector<std::string> origins = {};  // of the path's functions, for choosing which to show
  size_t phase = 0;                       // form paths: 1 is the first; 0: there are none, or its time is not known
};

// A part of the run that did something else than the parts beside it.
struct SummaryPhase {
  size_t number = 0;
  double from_seconds = 0;  // since the first sample
  double to_seconds = 0;
  double value = 0;
  double percent = 0;
};

// Whose code the samples end in, in percent of all; `level` says what stood for the user's code where there was none.
struct CodeShares {
  double own = 0;
  double library = 0;
  double runtime = 0;
  double outside = 0;  // pass through no code of the user
  std::string level = "own";
};

struct SummaryAnswer {
  std::string reference;
  ProfileInfo profile;
  std::string form;
  std::string by;
  std::vector<SummaryRow> rows;
  std::vector<SummaryRow> tree;      // form brief: the calls; `rows` are its functions, the likeliest culprits first
  std::vector<SummaryPhase> phases;  // form paths, of a run that had some; rows are in their order
  CodeShares shares;
  std::vector<std::string> remarks;  // what a reader has to know to read the rows rightly
  Omitted omitted;
  Tokens tokens;
  bool full_names = false;        // rather leave out rows than shorten names
  std::vector<std::string> next;  // the questions that would tell most now, as commands
  std::optional<BudgetReport> ledger;
};

Result<SummaryAnswer> summary(const SummaryRequest& request);

// The same of a profile at hand; `reference` is how it can be asked about again, "-": it cannot.
Result<SummaryAnswer> summarize(const ViewedProfile& viewed, const std::string& reference, View view);

}  // namespace atys::verbs
