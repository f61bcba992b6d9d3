// SPDX-License-Identifier: Apache-2.0
#include "format/flame_svg/compared_tree.h"

#include <algorithm>
#include <cmath>

#include "reduce/flame_change.h"

namespace atys::format::flame_svg {

using namespace reduce;

namespace {

// What a node's own part of the width is.
std::vector<double> width_parts(const ComparedTree& compared, ComparedWidths widths) {
  // Where shares are compared, both wholes are as wide.
  const auto whole = [&](const std::vector<int64_t>& totals) {
    return compared.is_absolute || totals[0] == 0 ? 1.0 : std::abs(static_cast<double>(totals[0]));
  };
  const double base_whole = whole(compared.base_total);
  const double new_whole = whole(compared.new_total);
  std::vector<double> parts(compared.new_self.size());
  for (size_t i = 0; i < parts.size(); ++i) {
    const double base = std::abs(static_cast<double>(compared.base_self[i])) / base_whole;
    const double fresh = std::abs(static_cast<double>(compared.new_self[i])) / new_whole;
    parts[i] = widths == ComparedWidths::Base ? base : widths == ComparedWidths::New ? fresh : std::max(base, fresh);
  }
  return parts;
}

}  // namespace

ComparedTree compare_on_tree(const FlameTree& tree, std::span<const FlameInput> inputs, const Comparison& comparison) {
  ComparedTree compared;
  compared.is_absolute = comparison.is_absolute;
  compared.new_self = flame_self(tree, 0, *inputs[0].profile, inputs[0].column);
  compared.base_self = flame_self(tree, 1, *inputs[1].profile, inputs[1].column);
  compared.new_total = flame_totals(tree, compared.new_self);
  compared.base_total = flame_totals(tree, compared.base_self);
  compared.widths = flame_widths(tree, width_parts(compared, comparison.widths));
  const FlameWhole of_base{static_cast<double>(compared.base_total[0]),
                           samples_behind(*inputs[1].profile, inputs[1].column)};
  const FlameWhole of_new{static_cast<double>(compared.new_total[0]), samples_behind(*inputs[0].profile, inputs[0].column)};
  compared.is_chance_known = of_base.samples > 0 && of_new.samples > 0;
  for (size_t i = 0; i < tree.nodes.size(); ++i)
    compared.levels.push_back(change_level(static_cast<double>(compared.base_total[i]),
                                           static_cast<double>(compared.new_total[i]), of_base, of_new,
                                           compared.is_absolute));
  return compared;
}

}  // namespace atys::format::flame_svg
