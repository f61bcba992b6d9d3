// SPDX-License-Identifier: Apache-2.0
#include "format/flame_html/page_compare.h"

#include <map>
#include <string_view>

#include "base/utf8.h"
#include "format/flame_html/page_strings.h"
#include "format/flame_html/varint_column.h"
#include "reduce/diff.h"
#include "reduce/flame_change.h"

namespace atys::format::flame_html {

using namespace profile;
using namespace reduce;

namespace {

constexpr size_t kLongestName = 300;

const char* to_text(ComparedWidths widths) {
  switch (widths) {
    case ComparedWidths::Base: return "base";
    case ComparedWidths::Either: return "either";
    case ComparedWidths::New: break;
  }
  return "new";
}

using Symbol = std::pair<std::string_view, std::string_view>;  // name and file

// 1: self changed, 2: total did.
std::map<Symbol, uint32_t> significant_changes(const Diff& self, const Diff& total) {
  std::map<Symbol, uint32_t> changes;
  for (const DiffRow& row : self.rows)
    if (row.significant) changes[{row.entity.name, row.entity.file}] |= 1;
  for (const DiffRow& row : total.rows)
    if (row.significant) changes[{row.entity.name, row.entity.file}] |= 2;
  return changes;
}

void write_samples(const char* key, const Profile& profile, const std::vector<std::optional<size_t>>& columns,
                   JsonWriter& json) {
  json.key(key).begin_array();
  for (const std::optional<size_t>& column : columns) json.value(column ? samples_behind(profile, *column) : 0.0);
  json.end_array();
}

}  // namespace

std::vector<std::optional<size_t>> matching_columns(const Profile& profile, const Profile& base) {
  std::vector<std::optional<size_t>> columns;
  for (const ValueType& type : profile.value_types()) {
    std::optional<size_t>& column = columns.emplace_back();
    for (size_t i = 0; i < base.value_types().size() && !column; ++i) {
      const ValueType& other = base.value_types()[i];
      if (base.text(other.type) == profile.text(type.type) && base.text(other.unit) == profile.text(type.unit)) column = i;
    }
  }
  return columns;
}

void write_comparison(std::span<const FlameInput> inputs, const std::vector<std::optional<size_t>>& columns,
                      const FlameTree& tree, const Comparison& comparison, JsonWriter& json) {
  const Top fresh = top(*inputs[0].profile, inputs[0].column, {});
  const Top base = top(*inputs[1].profile, inputs[1].column, {});
  const Diff self = diff(base, fresh, Measure::Self);
  const Diff total = diff(base, fresh, Measure::Total);
  const std::map<Symbol, uint32_t> changes = significant_changes(self, total);
  VarintColumn significant;
  for (const FlameFunction& function : tree.functions.rows()) {
    const auto found = changes.find({tree.strings.view(function.name), tree.strings.view(function.file)});
    significant.add(found == changes.end() ? 0 : found->second);
  }
  std::vector<std::optional<size_t>> own;
  for (size_t i = 0; i < columns.size(); ++i) own.emplace_back(i);
  json.key("comparison").begin_object();
  json.field("baseName", shortened(comparison.base_name, kLongestName));
  json.field("newName", shortened(comparison.new_name, kLongestName));
  json.field("widths", to_text(comparison.widths)).field("absolute", comparison.is_absolute);
  write_samples("newSamples", *inputs[0].profile, own, json);
  write_samples("baseSamples", *inputs[1].profile, columns, json);
  json.field("significant", significant.base64()).end_object();
}

}  // namespace atys::format::flame_html
