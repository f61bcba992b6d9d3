// SPDX-License-Identifier: Apache-2.0
#include "store/embedded/day_groups.h"

#include <vector>

#include "store/embedded/block_scan.h"
#include "store/embedded/block_sum.h"
#include "store/embedded/day_read.h"

namespace atys::store {

namespace {

using GroupOfSeries = std::map<uint32_t, size_t>;

// What has come since the groups were listed is of one of them, or makes another one.
Result<GroupOfSeries> list_series(DayFile& file, const Question& question, GroupList& groups) {
  GroupOfSeries group_of;
  TRY(see_series(file, question, [&](uint32_t id, const SeenSeries& seen) -> Result<> {
    group_of[id] = groups.position_of(seen);
    return {};
  }));
  return group_of;
}

}  // namespace

MergedGroups GroupState::finish() && {
  MergedGroups merged{.coverage = std::move(coverage)};
  for (auto& [part, sum] : sums) {
    GroupPart& added = merged.parts.emplace_back();
    added.group = groups.groups()[part.group];
    added.piece = part.piece;
    added.is_newest = part.is_newest;
    added.windows = sum.windows;
    added.profile = sum.merger.finish();
    sum.facts.finish_into(added.profile);
    merged.coverage.windows += sum.windows;
  }
  sort_parts(merged.parts);
  return merged;
}

Result<> merge_groups_of_day(DayFile& file, const Question& question, GroupState& state) {
  const ReadNeeds needs{question.selection.from_ns, question.selection.to_ns, Level::Windows, /*windows_only=*/true};
  const Transaction snapshot = TRY(Transaction::begin(file.database(), /*write=*/false));
  const GroupOfSeries group_of = TRY(list_series(file, question, state.groups));
  BlockScan scan = TRY(BlockScan::prepare(file, question, needs));
  std::map<GroupList::Part, BlockSum> sums;  // of one dictionary
  BlockScan::Visitor visitor;
  visitor.begin_dictionary = [&](const Dictionary&) -> Result<> {
    sums.clear();
    return {};
  };
  visitor.visit = [&](BlockScan::Found&& found) {
    std::vector<BlockSum*> of_windows(found.block.windows.size());
    for (size_t i = 0; i < of_windows.size(); ++i) {
      const BlockWindow& window = found.block.windows[i];
      const auto group = group_of.find(window.series);
      if (group == group_of.end() || !scan.wants(window)) continue;
      const GroupList::Part part = state.groups.part_of(group->second, window.start_ns);
      of_windows[i] = &sums.try_emplace(part, Detail::Stacks).first->second;
      ++state.sums[part].windows;
    }
    BlockSum::distribute(found.block, of_windows);
  };
  visitor.end_dictionary = [&](const Dictionary& dictionary) {
    for (const auto& [part, sum] : sums) sum.finish_into(state.sums[part].merger, state.sums[part].facts, dictionary);
  };
  return scan.run(visitor, state.coverage);
}

}  // namespace atys::store
