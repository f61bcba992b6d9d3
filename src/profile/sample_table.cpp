// SPDX-License-Identifier: Apache-2.0
#include "profile/sample_table.h"

#include "base/result.h"

namespace atys::profile {

void SampleTable::add(StackId stack, LabelSetId labels, std::span<const int64_t> values, int64_t time_ns) {
  CHECK(values.size() == values_.size());
  if (time_ns != 0 && times_.empty()) times_.assign(stacks_.size(), 0);
  if (time_ns != 0 || !times_.empty()) times_.push_back(time_ns);
  stacks_.push_back(stack);
  labels_.push_back(labels);
  for (size_t type = 0; type < values.size(); ++type) values_[type].push_back(values[type]);
}

void SampleTable::reserve(size_t rows) {
  stacks_.reserve(rows);
  labels_.reserve(rows);
  for (auto& column : values_) column.reserve(rows);
}

size_t SampleTable::memory_bytes() const {
  size_t bytes =
      stacks_.capacity() * sizeof(StackId) + labels_.capacity() * sizeof(LabelSetId) + times_.capacity() * sizeof(int64_t);
  for (const auto& column : values_) bytes += column.capacity() * sizeof(int64_t);
  return bytes;
}

}  // namespace atys::profile
