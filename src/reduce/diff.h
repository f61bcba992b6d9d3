// SPDX-License-Identifier: Apache-2.0
// What changed between two profiles, or between several runs of one thing and several of another: each entity's share, and
// what it costs for the same work, with the confidence of the difference.
//
// Shares compare recordings of different length, but a function that grows makes the shares of all others shrink: rows that
// keep their proportion to most others are told apart, and are not called significant. Costs per work done do not have that,
// where the work is known. With several runs on a side, runs are the replicates: samples of one
// run have its luck in common. With one run on each side, intervals are those of the samples, and how runs differ by
// themselves is not in them. docs/decisions/0004 and 0014.
#pragma once

#include <span>
#include <vector>

#include "reduce/attribution.h"
#include "reduce/confidence.h"
#include "reduce/top.h"

namespace atys::reduce {

enum class Measure { Self, Total };

// Two values and what can be said of their difference.
struct Change {
  double base = 0;
  double fresh = 0;
  double delta = 0;  // fresh - base
  Interval delta_ci95;
  double p_value = 1;
};

struct DiffRow {
  Entity entity;
  double base = 0;  // value in the base profile, of all its runs
  double fresh = 0;
  double base_share = 0;  // 0 to 1, mean of the runs
  double fresh_share = 0;
  double delta = 0;  // fresh_share - base_share
  Interval delta_ci95;
  bool significant = false;    // after bounding false discoveries among all rows at 5 %
  bool is_in_step = false;     // of shares: the change is, but only as that of most others is (in_step.h)
  Change work;                 // value for the work that was named; empty where none was
  std::string base_name = {};  // what the base calls it and where that is, where either differs
  std::string base_file = {};
};

// Unknown: nothing says how many samples the values rest on, so that nobody can tell change from chance.
enum class DiffVerdict { Changed, NoChange, Inconclusive, Unknown };
const char* to_string(DiffVerdict verdict);

struct DiffOptions {
  Measure measure = Measure::Self;
  // How much work each run did; with them, significance is that of value per work, else that of shares.
  std::vector<double> base_work;
  std::vector<double> fresh_work;
  double least_difference = 0.02;  // of the total: what 'no change' has to exclude
};

struct Diff {
  double base_total = 0;
  double fresh_total = 0;
  double base_samples = 0;
  double fresh_samples = 0;
  double distance = 0;                  // Jensen-Shannon divergence of the two, 0 to 1: see distance.h
  std::vector<DiffRow> rows;            // only what differs; largest change first
  bool has_significant_change = false;  // of a row

  Change total;                   // of everything: per work where that is known, else per run, as it was recorded
  bool has_total_change = false;  // whether that is significant by itself, at 5 %
  bool is_known = true;           // whether there are intervals

  Change total_work;        // of everything, per work
  bool has_work = false;    // whether that and the rows' are there
  bool is_of_runs = false;  // runs, not samples, were the replicates
  size_t tested = 0;        // rows that were worth a test
  size_t significant_rows = 0;
  DiffVerdict verdict = DiffVerdict::NoChange;
  double resolution = 0;         // the largest change of one row that cannot be excluded, of the total
  double times_more_needed = 1;  // Inconclusive: so many times the runs (or samples) would exclude least_difference
};

Diff diff(std::span<const Top> base, std::span<const Top> fresh, const DiffOptions& options);
Diff diff(const Top& base, const Top& fresh, Measure measure);

}  // namespace atys::reduce
