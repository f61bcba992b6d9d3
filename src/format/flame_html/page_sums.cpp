// SPDX-License-Identifier: Apache-2.0
#include "format/flame_html/page_sums.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "format/flame_html/varint_column.h"
#include "reduce/top.h"

namespace atys::format::flame_html {

using namespace reduce;

namespace {

using Symbol = std::pair<std::string_view, std::string_view>;  // name and file

// Of functions that are one symbol the first has its value.
std::map<Symbol, size_t> first_of_symbols(const FlameTree& tree) {
  std::map<Symbol, size_t> first;
  size_t number = 0;
  for (const FlameFunction& function : tree.functions.rows())
    first.try_emplace({tree.strings.view(function.name), tree.strings.view(function.file)}, number++);
  return first;
}

int64_t rounded(double value) {
  static constexpr double kMost = 9.2e18;
  return static_cast<int64_t>(std::clamp(value, -kMost, kMost));
}

}  // namespace

void write_sums(const FlameTree& tree, std::span<const FlameInput> inputs, JsonWriter& json) {
  if (tree.folded == 0) return;
  const std::map<Symbol, size_t> first = first_of_symbols(tree);
  json.key("sums").begin_array();
  for (const FlameInput& input : inputs) {
    std::vector<double> self(tree.functions.size(), 0), total(tree.functions.size(), 0);
    const Top sums = top(*input.profile, input.column, {});
    for (const TopRow& row : sums.rows) {
      const auto found = first.find({row.entity.name, row.entity.file});
      if (found == first.end()) continue;
      self[found->second] += row.self;
      total[found->second] += row.total;
    }
    VarintColumn selves, totals;
    for (const double value : self) selves.add_signed(rounded(value));
    for (const double value : total) totals.add_signed(rounded(value));
    json.begin_object().field("self", selves.base64()).field("total", totals.base64()).end_object();
  }
  json.end_array();
}

}  // namespace atys::format::flame_html
