// SPDX-License-Identifier: Apache-2.0
// Adds blocks of one dictionary up by time: totals, and what of them is a function's.
#pragma once

#include <cstdint>
#include <vector>

#include "store/embedded/block_sum.h"

namespace atys::store {

class SeriesSum {
 public:
  SeriesSum(const SeriesQuery& query, const Dictionary& dictionary);

  // Each window of the block stands for so many. Returns how many it took.
  size_t add(const Block& block, const BlockSum::Wanted& wanted, size_t stands_for, Series& answer) const;

 private:
  int column_of(const Block& block, const Texts& texts) const;

  const SeriesQuery* query_;
  const Profile* dictionary_;
  std::vector<uint8_t> stacks_;  // empty: no function asked for
};

}  // namespace atys::store
