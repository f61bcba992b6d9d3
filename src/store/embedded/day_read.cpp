// SPDX-License-Identifier: Apache-2.0
#include "store/embedded/day_read.h"

#include <algorithm>

#include "store/embedded/block_scan.h"
#include "store/embedded/calendar.h"
#include "store/embedded/series_sum.h"

namespace atys::store {

void add_problem(std::vector<std::string>& problems, const std::string& problem) {
  if (problems.size() < kMaxProblems) problems.push_back(problem);
  if (problems.size() == kMaxProblems) problems.push_back("and more");
}

Result<> merge_day(DayFile& file, const Question& question, Detail detail, MergeState& state) {
  const Selection& selection = question.selection;
  ReadNeeds needs{selection.from_ns, selection.to_ns, Level::Hours, question.filter.needs_windows()};
  if (needs.windows_only || detail == Detail::Samples) needs.coarsest = Level::Windows;
  const Transaction snapshot = TRY(Transaction::begin(file.database(), /*write=*/false));
  BlockScan scan = TRY(BlockScan::prepare(file, question, needs));
  BlockSum sum(detail);
  BlockScan::Visitor visitor;
  visitor.begin_dictionary = [&](const Dictionary&) -> Result<> {
    sum = BlockSum(detail);
    return {};
  };
  visitor.visit = [&](BlockScan::Found&& found) {
    const size_t windows = sum.add(found.block, [&](const BlockWindow& window) { return scan.wants(window); });
    state.coverage.windows += found.is_sum ? found.windows : windows;
  };
  visitor.end_dictionary = [&](const Dictionary& dictionary) { sum.finish_into(state.merger, state.facts, dictionary); };
  return scan.run(visitor, state.coverage);
}

Result<> series_of_day(DayFile& file, const SeriesQuery& query, const Question& question, Series& answer) {
  const Selection& selection = query.selection;
  ReadNeeds needs{selection.from_ns, selection.to_ns, Level::Windows, question.filter.needs_windows()};
  for (const auto& [level, unit] : {std::pair(Level::Minutes, kMinuteNs), std::pair(Level::Hours, kHourNs)}) {
    const bool fits = query.step_ns % unit == 0 && selection.from_ns % unit == 0;
    if (fits && !needs.windows_only) needs.coarsest = level;
  }
  const Transaction snapshot = TRY(Transaction::begin(file.database(), /*write=*/false));
  BlockScan scan = TRY(BlockScan::prepare(file, question, needs));
  std::optional<SeriesSum> sum;
  BlockScan::Visitor visitor;
  visitor.begin_dictionary = [&](const Dictionary& dictionary) -> Result<> {
    sum.emplace(query, dictionary);
    return {};
  };
  visitor.visit = [&](BlockScan::Found&& found) {
    const size_t windows = sum->add(
        found.block, [&](const BlockWindow& window) { return scan.wants(window); }, found.is_sum ? found.windows : 1,
        answer);
    answer.coverage.windows += found.is_sum && windows > 0 ? found.windows : windows;
  };
  visitor.end_dictionary = [](const Dictionary&) {};
  return scan.run(visitor, answer.coverage);
}

}  // namespace atys::store
