// SPDX-License-Identifier: Apache-2.0
// A table of plain rows with two ways in: `intern` finds an equal row or adds one, `append` adds without looking. The index
// behind `intern` is built when it is first needed, so a reader whose input is unique already pays nothing for it.
// A row type brings `operator==` and `uint64_t hash(const Row&)`.
#pragma once

#include <span>
#include <vector>

#include "profile/hash_index.h"
#include "profile/ids.h"

namespace atys::profile {

template <typename Row, typename Id>
class RowTable {
 public:
  RowTable() : rows_(1) {}  // id 0 is the empty row

  Id intern(const Row& row) {
    index_all();
    const auto next = static_cast<uint32_t>(rows_.size());
    const uint32_t found = index_.find_or_add(hash(row), next, [&](uint32_t other) { return rows_[other] == row; });
    if (found == next) {
      rows_.push_back(row);
      index_.indexed_rows = next + 1;
    }
    return Id{found};
  }

  Id append(const Row& row) {
    rows_.push_back(row);
    return Id{static_cast<uint32_t>(rows_.size() - 1)};
  }

  const Row& operator[](Id id) const { return rows_[raw(id)]; }
  // Changes rows in place; `change(row)` is called for each but the empty one. The index is built anew when next needed.
  template <typename Change>
  void change_all(const Change& change) {
    for (size_t i = 1; i < rows_.size(); ++i) change(rows_[i]);
    index_ = {};
  }
  std::span<const Row> rows() const { return rows_; }
  size_t size() const { return rows_.size(); }
  void reserve(size_t count) { rows_.reserve(count); }
  size_t memory_bytes() const { return rows_.capacity() * sizeof(Row) + index_.memory_bytes(); }

 private:
  void index_all() {
    for (uint32_t& i = index_.indexed_rows; i < rows_.size(); ++i) {
      index_.find_or_add(hash(rows_[i]), i, [&](uint32_t other) { return rows_[other] == rows_[i]; });
    }
  }

  std::vector<Row> rows_;
  HashIndex index_;
};

}  // namespace atys::profile
