// SPDX-License-Identifier: Apache-2.0
// What changed between two profiles, or between runs of two things, and whether that is enough to say so.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "reduce/common_names.h"
#include "reduce/diff.h"
#include "verbs/recording/budget_report.h"
#include "verbs/view/follow_up.h"
#include "verbs/view/view.h"
#include "verbs/view/work_done.h"

namespace atys::verbs {

struct DiffRequest {
  std::string base;  // a profile, or several with commas between them
  std::string fresh;
  View view = {.form = reduce::Form::Brief};
  reduce::Measure measure = reduce::Measure::Self;
  std::string per = "share";  // see work_done.h
  // More profiles of each side: each is one run.
  std::vector<std::string> more_base;
  std::vector<std::string> more_fresh;
  std::vector<reduce::PathMap> maps;  // what of the base is what of the new one, where we cannot tell
};

struct DiffAnswer {
  std::string base_reference;
  std::string fresh_reference;
  ProfileInfo base;  // of several: their sum
  ProfileInfo fresh;
  reduce::Form form = reduce::Form::Table;
  std::string by;
  reduce::Measure measure = reduce::Measure::Self;
  bool has_significant_change = false;
  double distance = 0;
  std::vector<reduce::DiffRow> rows;  // significant ones first, largest change first
  Omitted omitted;
  Tokens tokens;
  std::vector<FollowUp> next;
  std::optional<BudgetReport> ledger;

  std::string per = "share";
  std::vector<std::string> base_runs;  // names
  std::vector<std::string> fresh_runs;
  reduce::DiffVerdict verdict = reduce::DiffVerdict::NoChange;
  reduce::Change total_work;
  bool has_work = false;
  reduce::Change total;  // of everything: per work where that is known, else per run, as it was recorded
  bool has_total_change = false;
  size_t significant_rows = 0;  // shown or not
  size_t tested_rows = 0;
  bool is_known = true;             // whether anything can be said of chance; else there are no intervals
  double resolution_percent = 0;    // of the total: the largest change of a row that cannot be excluded
  double times_more_needed = 1;     // Inconclusive: so many times the runs, or the samples where there is one run a side
  size_t more_runs_needed = 0;      // Inconclusive: on each side
  bool is_run_noise_known = false;  // runs were the replicates
  reduce::MatchReport matching;     // how the functions of the base were found in the new one
};

Result<DiffAnswer> diff(const DiffRequest& request);

// "1.2 ms/run" as its unit reads: "nanoseconds/run".
std::string work_unit_of(const DiffAnswer& answer);

}  // namespace atys::verbs
