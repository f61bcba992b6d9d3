// SPDX-License-Identifier: Apache-2.0
// Makes a block of a profile: what it refers to goes into the dictionary, the rest into columns.
#pragma once

#include "profile/import.h"
#include "store/embedded/block.h"

namespace atys::store {

// The block of one window, its rows sorted and each combination of stack, labels and time once.
Block block_of(const Window& window, uint32_t series, Dictionary& dictionary);

// Adds to `block` a window with everything of the profile but its samples, value types and mappings.
BlockWindow& add_header(Block& block, const Profile& profile, profile::Importer& into_dictionary);

// Puts the rows of a block, in whatever order, into theirs. The rows of one window come in one call each.
class RowSorter {
 public:
  explicit RowSorter(size_t types) : values_(types) {}

  struct Key {
    uint32_t stack = 0;
    uint32_t labels = 0;
    int64_t time_ns = 0;
    uint32_t window = 0;

    auto operator<=>(const Key&) const = default;
  };
  // `value(type)` gives the row's values.
  template <typename Value>
  void add(const Key& key, const Value& value) {
    keys_.push_back({key, static_cast<uint32_t>(keys_.size())});
    for (size_t type = 0; type < values_.size(); ++type) values_[type].push_back(value(type));
  }
  size_t rows() const { return keys_.size(); }

  // Fills the row columns of `block`, whose windows are complete; equal keys become one row.
  void finish(Block& block);

 private:
  struct Row {
    Key key;
    uint32_t position;
  };
  void sort();

  std::vector<Row> keys_;
  std::vector<std::vector<int64_t>> values_;
};

}  // namespace atys::store
