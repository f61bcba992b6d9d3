// SPDX-License-Identifier: Apache-2.0
// One day's windows, merged group by group: each block is read once, however many groups there are.
#pragma once

#include <map>
#include <utility>

#include "reduce/merge.h"
#include "store/embedded/day_file.h"
#include "store/embedded/header_sum.h"
#include "store/question.h"
#include "store/window_groups.h"

namespace atys::store {

// What several days' answers add up to.
struct GroupState {
  struct Sum {
    reduce::Merger merger;
    FactSum facts;
    size_t windows = 0;
  };

  explicit GroupState(GroupList listed) : groups(std::move(listed)) {}
  MergedGroups finish() &&;

  GroupList groups;
  std::map<GroupList::Part, Sum> sums;
  Coverage coverage;
};

Result<> merge_groups_of_day(DayFile& file, const Question& question, GroupState& state);

}  // namespace atys::store
