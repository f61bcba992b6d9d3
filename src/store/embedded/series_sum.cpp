// SPDX-License-Identifier: Apache-2.0
#include "store/embedded/series_sum.h"

#include <algorithm>

#include "store/function_stacks.h"

namespace atys::store {

using namespace profile;

SeriesSum::SeriesSum(const SeriesQuery& query, const Dictionary& dictionary)
    : query_(&query), dictionary_(&dictionary.tables()) {
  if (!query.function.empty()) stacks_ = stacks_of_function(*dictionary_, query.function);
}

int SeriesSum::column_of(const Block& block, const Texts& texts) const {
  const std::string_view wanted =
      query_->value_type.empty() ? dictionary_->text(texts.default_value_type) : std::string_view(query_->value_type);
  for (size_t i = 0; i < block.types.size(); ++i) {
    if (!wanted.empty() && dictionary_->text(block.types[i].type) == wanted) return static_cast<int>(i);
  }
  return query_->value_type.empty() ? static_cast<int>(block.types.size()) - 1 : -1;
}

size_t SeriesSum::add(const Block& block, const BlockSum::Wanted& wanted, size_t stands_for, Series& answer) const {
  struct Target {
    SeriesPoint* point = nullptr;
    size_t column = 0;
  };
  std::vector<Target> targets(block.windows.size());
  size_t taken = 0;
  const int64_t from_ns = query_->selection.from_ns;
  for (size_t i = 0; i < targets.size(); ++i) {
    const BlockWindow& window = block.windows[i];
    const int column = column_of(block, block.texts[window.texts]);
    if (!wanted(window) || column < 0) continue;
    ++taken;
    // A sum that is coarser than the step, or begins before the range, counts where it begins.
    const int64_t step = window.start_ns < from_ns ? 0 : (window.start_ns - from_ns) / query_->step_ns;
    const size_t position = std::min(static_cast<size_t>(step), answer.points.size() - 1);
    targets[i] = {&answer.points[position], static_cast<size_t>(column)};
    targets[i].point->windows += stands_for;
    const ValueType& type = block.types[static_cast<size_t>(column)];
    answer.value_type = dictionary_->text(type.type);
    answer.unit = dictionary_->text(type.unit);
  }
  for (size_t row = 0; row < block.rows(); ++row) {
    const Target& target = targets[block.window_of(row)];
    if (target.point == nullptr) continue;
    const int64_t value = block.values[target.column][row];
    const uint8_t role = stacks_.empty() ? 0 : stacks_[raw(block.stacks[row])];
    add_value(target.point->total, value);
    if ((role & kPassesFunction) != 0) add_value(target.point->function_total, value);
    if ((role & kEndsInFunction) != 0) add_value(target.point->function_self, value);
  }
  return taken;
}

}  // namespace atys::store
