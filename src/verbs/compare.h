// SPDX-License-Identifier: Apache-2.0
// Is B faster than A, by how much, and where? Both are commands, run as fresh processes in turns until that is decided or
// the budget ends; other runs of them are profiled to say which functions made the difference. docs/decisions/0014.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "reduce/common_names.h"
#include "reduce/comparison.h"
#include "reduce/diff.h"
#include "verbs/recording/budget_report.h"
#include "verbs/view/follow_up.h"
#include "verbs/view/view.h"

namespace atys::verbs {

// How far a comparison has come.
struct CompareProgress {
  std::string phase;  // "timing", "profiling", "counting"
  size_t done = 0;    // blocks
  size_t most = 0;
  double seconds = 0;
};

// Which time decides.
enum class Metric { Wall, Cpu };
const char* to_string(Metric metric);
Result<std::optional<Metric>> metric_of(const std::string& name);  // "auto": none is asked for

// Why there were no more timed runs.
enum class CompareEnd { Running, Decided, RunsUsedUp, TimeUsedUp, Interrupted };
const char* to_string(CompareEnd end);

// What A and B wrote to their standard output.
enum class SeenOutput { Same, Different, Varies };
const char* to_string(SeenOutput output);

struct CompareRequest {
  std::vector<std::string> a;  // a command and its arguments
  std::vector<std::string> b;
  std::optional<Metric> metric = {};       // which time decides; none: see choose_metric()
  size_t max_runs = 100;                   // of each side, timed
  uint64_t max_time_ns = 300'000'000'000;  // for everything
  double least_difference = 0.02;          // smaller ones do not matter
  std::optional<uint64_t> seed;            // of orders and resampling; none: drawn
  size_t profile_runs = 6;                 // of each side; 0: no profiles
  bool keep_profiles = true;               // in the library
  bool instructions = false;               // count them by callgrind where the processor has no counter for us
  reduce::Measure measure = reduce::Measure::Self;
  View view = {.form = reduce::Form::Brief};  // of the functions: brief or table, by, top, max_tokens, filter
  std::vector<reduce::PathMap> maps;          // what of A is what of B, where we cannot tell

  // Called after each block; returns whether to go on.
  std::function<bool(const CompareProgress&)> on_progress;
};

struct TimedSide {
  std::string command;
  size_t runs = 0;
  size_t failures = 0;  // runs whose exit status was not 0
  int exit_status = 0;  // of the first failure
  std::string error;    // the end of its standard error
  double wall_ns = 0;   // medians
  double cpu_ns = 0;
  double wall_spread = 0;  // half the middle 68 % of runs, of the median: what one run differs by
  double cpu_spread = 0;
  uint64_t peak_bytes = 0;
  uint64_t output_bytes = 0;
  size_t left_behind = 0;  // processes that outlived their command, all runs
  std::string profile;     // id of the merged profile in the library, empty: none
};

struct Instructions {
  std::string source;  // "processor", "callgrind"; empty: there are none
  double a = 0;
  double b = 0;
  std::string why_not;  // and what would help
};

// A function that is left to be made faster.
struct Headroom {
  reduce::Entity entity;
  double share = 0;       // of B, 0 to 1
  double best_ratio = 1;  // B's time without it, of its time now
};

struct CompareLook {
  size_t pairs = 0;
  double level = 0;
  reduce::Verdict verdict = reduce::Verdict::Inconclusive;
};

struct CompareAnswer {
  TimedSide a;
  TimedSide b;
  reduce::Verdict verdict = reduce::Verdict::Inconclusive;
  std::optional<Metric> metric = {};  // that decided; none: there was no look
  std::string metric_reason;
  reduce::Judgement wall;
  reduce::Judgement cpu;
  std::vector<CompareLook> looks;
  CompareEnd ended = CompareEnd::Running;
  double least_difference = 0;
  uint64_t seed = 0;
  uint64_t elapsed_ns = 0;
  Instructions instructions;
  SeenOutput output = SeenOutput::Same;

  // Where the difference is.
  std::string by;
  reduce::Measure measure = reduce::Measure::Self;
  std::string unit;
  size_t profiled_runs = 0;     // of each side
  size_t repeats = 1;           // of the command in each of them
  std::string why_no_profile;   // where there is none
  reduce::Diff functions;       // rows: those shown
  size_t more_runs_needed = 0;  // of profiles, where they are inconclusive
  std::vector<Headroom> headroom;
  reduce::MatchReport matching;  // how the functions of A were found in B

  std::vector<std::string> notes;
  Omitted omitted;
  Tokens tokens;
  std::vector<FollowUp> next;
  std::optional<BudgetReport> ledger;
};

// What is wrong with a request before anything is run.
Result<> check(const CompareRequest& request);

Result<CompareAnswer> compare(const CompareRequest& request);

// The judgement by the metric that decided.
const reduce::Judgement& decisive(const CompareAnswer& answer);

}  // namespace atys::verbs
