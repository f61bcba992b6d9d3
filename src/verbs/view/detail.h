// SPDX-License-Identifier: Apache-2.0
// An answer in less detail: fewer rows, the most important kept; long names shortened in the middle; long paths folded. What
// is left out is counted. Pure functions of the answer, so that whoever prints it can look for the most that fits.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "verbs/compare.h"
#include "verbs/diff.h"
#include "verbs/link.h"
#include "verbs/summary.h"

namespace atys::verbs {

struct Detail {
  size_t rows = SIZE_MAX;
  size_t name_bytes = SIZE_MAX;   // of a function
  size_t place_bytes = SIZE_MAX;  // of a file or module; 0: none
  size_t path_names = SIZE_MAX;   // of a call path
  size_t next = SIZE_MAX;         // questions
  bool remarks = true;
};

// Only the `rows` most important ones; the others are counted as omitted.
void keep_rows(SummaryAnswer& answer, size_t rows);
// How many `rows` show all that the answer has: those of its calls come after the first of its functions.
size_t all_rows(const SummaryAnswer& answer);

SummaryAnswer in_detail(const SummaryAnswer& answer, const Detail& detail);
DiffAnswer in_detail(const DiffAnswer& answer, const Detail& detail);
CompareAnswer in_detail(const CompareAnswer& answer, const Detail& detail);
LinkAnswer in_detail(const LinkAnswer& answer, const Detail& detail);

// How much of the whole a row changed by, in percent, whichever way.
double changed_percent(const reduce::DiffRow& row, const DiffAnswer& answer);
double changed_percent(const reduce::DiffRow& row, const CompareAnswer& answer);

// Percent of the value, or of the change, that the rows account for.
double covered_percent(const SummaryAnswer& answer);
double covered_percent(const DiffAnswer& answer);
double covered_percent(const CompareAnswer& answer);
double covered_percent(const LinkAnswer& answer);

// "abc…xyz", cut between characters; texts that fit stay as they are.
std::string shorten_middle(std::string_view text, size_t most_bytes);

}  // namespace atys::verbs
