// SPDX-License-Identifier: Apache-2.0
// The rows of each form (form.h): each has what its form tells and nothing else.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "reduce/attribution.h"
#include "reduce/confidence.h"
#include "reduce/form.h"
#include "reduce/own_code.h"

namespace atys::reduce {

// What rows of all forms have. Percent is of the whole.
struct CostRow {
  Entity entity;
  double self = 0;
  double self_percent = 0;
  double total = 0;
  double total_percent = 0;
  Interval ci95 = {};  // of total_percent in paths and trees, else of self_percent
  size_t rank = 0;     // the row to leave out first has the largest
  bool is_shortened = false;
};

// Whose code a function is, and its self value with what other code costs below it, where it is the user's.
struct Charged {
  double value = 0;
  double percent = 0;
  Origin origin = Origin::Own;
};

struct TableRow : CostRow {
  std::optional<Charged> charged = {};  // of functions
};

// A function, a line or another place that pays for what it calls.
struct PayingRow : CostRow {
  Charged charged = {};
  std::string callee = {};  // what it calls itself and is charged most for, with how much of the whole that is
  double callee_percent = 0;
};

struct LineRow : PayingRow {
  std::string source = {};  // the text of the line, where the file is at hand
};

// `entity` is its innermost function.
struct RawStack : CostRow {
  std::vector<std::string> path = {};  // root first
  std::vector<Origin> origins = {};    // of the path's functions, for choosing which to show
};

struct HotPath : RawStack {
  size_t phase = 0;  // 1 is the first; 0: there are none, or its time is not known
};

// A function as it is called on one way from the root.
struct TreeNode : CostRow {
  std::vector<std::string> path = {};  // the way to it, root first
  size_t depth = 0;
  size_t recursion = 0;  // how many calls of itself, also through others, were folded into this node
  Origin origin = Origin::Own;
};

struct BriefRow : PayingRow {};

// A part of a run that did something else than the parts beside it.
struct HotPhase {
  size_t number = 0;
  double from_seconds = 0;  // since the first sample
  double to_seconds = 0;
  double value = 0;
  double percent = 0;
};

struct TableRows {
  std::vector<TableRow> rows = {};
};
struct PathRows {
  std::vector<HotPath> rows = {};     // by phase, the costliest of each first
  std::vector<HotPhase> phases = {};  // none: the run had fewer than two, or its samples no times
};
struct TreeRows {
  std::vector<TreeNode> rows = {};  // each after its parent
};
struct LineRows {
  std::vector<LineRow> rows = {};
};
struct BriefRows {
  std::vector<BriefRow> rows = {};   // the likeliest culprits first
  std::vector<TreeNode> calls = {};  // that lead to them
};
struct RawRows {
  std::vector<RawStack> rows = {};
};

// In the order of Form.
using FormRows = std::variant<TableRows, PathRows, TreeRows, LineRows, BriefRows, RawRows>;

inline Form form_of(const FormRows& rows) { return static_cast<Form>(rows.index()); }

// What every form has of its rows: how many, and the costs of each.
size_t count_rows(const FormRows& rows);
const CostRow* first_row(const FormRows& rows);  // null: there are none

// Of what was asked for as a table.
inline std::vector<TableRow>& table_of(FormRows& rows) { return std::get<TableRows>(rows).rows; }
inline const std::vector<TableRow>& table_of(const FormRows& rows) { return std::get<TableRows>(rows).rows; }

}  // namespace atys::reduce
