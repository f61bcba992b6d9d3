// SPDX-License-Identifier: Apache-2.0
#include "profile/string_table.h"

namespace atys::profile {

void StringTable::index_all() {
  for (uint32_t& i = index_.indexed_rows; i < ends_.size(); ++i) {
    const std::string_view text = view(StringId{i});
    index_.find_or_add(hash_bytes(text), i, [&](uint32_t other) { return view(StringId{other}) == text; });
  }
}

StringId StringTable::intern(std::string_view text) {
  if (text.empty()) return kNoString;
  if (index_.indexed_rows < ends_.size()) index_all();
  const auto next = static_cast<uint32_t>(ends_.size());
  const uint32_t found =
      index_.find_or_add(hash_bytes(text), next, [&](uint32_t other) { return view(StringId{other}) == text; });
  if (found == next) {
    append(text);
    index_.indexed_rows = next + 1;
  }
  return StringId{found};
}

StringId StringTable::append(std::string_view text) {
  bytes_.append(text);  // std::string copes with a view into itself
  ends_.push_back(bytes_.size());
  return StringId{static_cast<uint32_t>(ends_.size() - 1)};
}

void StringTable::reserve(size_t strings, size_t bytes) {
  ends_.reserve(strings);
  bytes_.reserve(bytes);
}

}  // namespace atys::profile
