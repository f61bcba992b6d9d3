// SPDX-License-Identifier: Apache-2.0
// Samples as columns. A row is one observation or the sum of many: which stack, under which labels, worth how much of each
// value type, and, only in profiles that keep it, when.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "profile/ids.h"

namespace atys::profile {

class SampleTable {
 public:
  size_t size() const { return stacks_.size(); }
  bool empty() const { return stacks_.empty(); }

  // Adds a row; `values` has one entry per value type. `time_ns` (Unix time) is kept if any row has one; 0: no time.
  void add(StackId stack, LabelSetId labels, std::span<const int64_t> values, int64_t time_ns = 0);

  // A further value type, zero in the rows so far.
  void add_value_column() { values_.emplace_back(size(), 0); }
  size_t value_columns() const { return values_.size(); }

  StackId stack(size_t row) const { return stacks_[row]; }
  LabelSetId labels(size_t row) const { return labels_[row]; }
  int64_t value(size_t row, size_t type) const { return values_[type][row]; }
  int64_t time_ns(size_t row) const { return times_.empty() ? 0 : times_[row]; }
  bool has_times() const { return !times_.empty(); }

  std::span<const StackId> stacks() const { return stacks_; }
  std::span<const int64_t> values(size_t type) const { return values_[type]; }
  std::span<int64_t> mutable_values(size_t type) { return values_[type]; }
  void set_labels(size_t row, LabelSetId labels) { labels_[row] = labels; }

  // Modular, so that addition stays associative whatever the values; 2^63 ns are 292 years.
  void add_value(size_t row, size_t type, int64_t value) {
    values_[type][row] = static_cast<int64_t>(static_cast<uint64_t>(values_[type][row]) + static_cast<uint64_t>(value));
  }

  void reserve(size_t rows);
  size_t memory_bytes() const;

 private:
  std::vector<StackId> stacks_;
  std::vector<LabelSetId> labels_;
  std::vector<int64_t> times_;  // empty, or one per row
  std::vector<std::vector<int64_t>> values_;
};

}  // namespace atys::profile
