// SPDX-License-Identifier: Apache-2.0
// Interned lists of ids or small rows, kept end to end in one array. Used for label sets and for the lines of frames.
#pragma once

#include <algorithm>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

#include "profile/hash_index.h"
#include "profile/ids.h"

namespace atys::profile {

template <typename Item, typename Id>
class ListTable {
  static_assert(std::has_unique_object_representations_v<Item>, "items are hashed and compared as bytes");

 public:
  ListTable() : ends_{0} {}  // id 0 is the empty list

  Id intern(std::span<const Item> items) {
    if (items.empty()) return Id{0};
    index_all();
    const auto next = static_cast<uint32_t>(ends_.size());
    const uint32_t found = index_.find_or_add(hash_of(items), next,
                                              [&](uint32_t other) { return std::ranges::equal((*this)[Id{other}], items); });
    if (found == next) {
      append(items);
      index_.indexed_rows = next + 1;
    }
    return Id{found};
  }

  // `items` must not point into this table.
  Id append(std::span<const Item> items) {
    items_.insert(items_.end(), items.begin(), items.end());
    ends_.push_back(items_.size());
    return Id{static_cast<uint32_t>(ends_.size() - 1)};
  }

  std::span<const Item> operator[](Id id) const {
    const uint32_t i = raw(id);
    const uint64_t begin = i == 0 ? 0 : ends_[i - 1];
    return {items_.data() + begin, static_cast<size_t>(ends_[i] - begin)};
  }

  size_t size() const { return ends_.size(); }
  void reserve(size_t lists, size_t items) {
    ends_.reserve(lists);
    items_.reserve(items);
  }
  size_t memory_bytes() const {
    return items_.capacity() * sizeof(Item) + ends_.capacity() * sizeof(uint64_t) + index_.memory_bytes();
  }

 private:
  static uint64_t hash_of(std::span<const Item> items) {
    return hash_bytes({reinterpret_cast<const char*>(items.data()), items.size_bytes()});
  }

  void index_all() {
    for (uint32_t& i = index_.indexed_rows; i < ends_.size(); ++i) {
      index_.find_or_add(hash_of((*this)[Id{i}]), i,
                         [&](uint32_t other) { return std::ranges::equal((*this)[Id{other}], (*this)[Id{i}]); });
    }
  }

  std::vector<Item> items_;
  std::vector<uint64_t> ends_;
  HashIndex index_;
};

}  // namespace atys::profile
