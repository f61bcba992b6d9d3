// SPDX-License-Identifier: Apache-2.0
// How the indices of an OTLP message are followed. check_indices() has refused, with the offset, every message of which one
// points beyond its table, before anything else looks at it; so here a bad one would be a mistake of ours, and stops the
// program rather than being followed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/result.h"

namespace atys::format::otlp {

// The entry of a table; null for index 0, which is "none" also where a writer has left out the empty entry.
template <typename Table>
const typename Table::value_type* entry(const Table& table, int32_t index) {
  if (index == 0) return nullptr;
  CHECK(index > 0 && static_cast<size_t>(index) < table.size());
  return &table[static_cast<size_t>(index)];
}

// As entry() for tables of strings, where "none" is the empty string.
template <typename Strings>
std::string_view text_entry(const Strings& strings, int32_t index) {
  const auto* text = entry(strings, index);
  return text == nullptr ? std::string_view{} : std::string_view(*text);
}

}  // namespace atys::format::otlp
