// SPDX-License-Identifier: Apache-2.0
// Answers from one day. Blocks are read one by one, and only sums stay in memory; a block that cannot be read is a problem
// of the answer, not its end.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "store/embedded/block_sum.h"
#include "store/embedded/day_file.h"
#include "store/embedded/read_plan.h"
#include "store/question.h"
#include "store/seen_series.h"
#include "store/store_maintenance.h"

namespace atys::store {

inline constexpr size_t kMaxProblems = 20;
// Adds one to the list, which stays short.
void add_problem(std::vector<std::string>& problems, const std::string& problem);

// What several days' answers add up to.
struct MergeState {
  reduce::Merger merger;
  FactSum facts;
  Coverage coverage;
};

Result<> merge_day(DayFile& file, const Question& question, Detail detail, MergeState& state);

// Steps are those of the query; `answer.points` is complete, with zeros.
Result<> series_of_day(DayFile& file, const SeriesQuery& query, const Question& question, Series& answer);

// The series of a day that fit a question and have windows, with their numbers in the file. Those that began before its
// range and those that went on after it are among them; those that lie apart from it are not.
using SeriesVisit = std::function<Result<>(uint32_t id, const SeenSeries& seen)>;
Result<> see_series(DayFile& file, const Question& question, const SeriesVisit& visit);

Result<> services_of_day(DayFile& file, ServiceList& services);
Result<> instances_of_day(DayFile& file, std::string_view service, InstanceList& instances);
Result<> holdings_of_day(DayFile& file, Holdings& holdings);
Result<> health_of_day(DayFile& file, bool check_integrity, Health& health);

}  // namespace atys::store
