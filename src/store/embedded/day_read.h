// SPDX-License-Identifier: Apache-2.0
// Answers from one day. Blocks are read one by one, and only sums stay in memory; a block that cannot be read is a problem
// of the answer, not its end.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "store/embedded/block_sum.h"
#include "store/embedded/day_file.h"
#include "store/embedded/read_plan.h"

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

Result<> merge_day(DayFile& file, const Selection& selection, Detail detail, MergeState& state);

// Steps are those of the query; `answer.points` is complete, with zeros.
Result<> series_of_day(DayFile& file, const SeriesQuery& query, Series& answer);

using ServiceMap = std::map<std::string, ServiceEntry>;
using InstanceKey = std::array<std::string, 4>;  // node, instance, version, labels
using InstanceMap = std::map<InstanceKey, InstanceEntry>;

Result<> services_of_day(DayFile& file, ServiceMap& services, std::map<std::string, std::set<InstanceKey>>& instances);
Result<> instances_of_day(DayFile& file, std::string_view service, InstanceMap& instances);
Result<> health_of_day(DayFile& file, bool check_integrity, Health& health);

}  // namespace atys::store
