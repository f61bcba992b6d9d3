// SPDX-License-Identifier: Apache-2.0
// Puts windows together into one block. All have the same value types and the same dictionary.
#pragma once

#include <map>

#include "store/embedded/window_block.h"

namespace atys::store {

class SegmentBuilder {
 public:
  explicit SegmentBuilder(const Block& first) : sorter_(first.types.size()) { segment_.types = first.types; }

  void add(const Block& block);
  size_t windows() const { return segment_.windows.size(); }
  Block finish();

 private:
  Block segment_;
  RowSorter sorter_;
  std::map<Texts, uint32_t> texts_;  // → position in the segment
  std::map<std::vector<MappingPlace>, uint32_t> places_;
};

}  // namespace atys::store
