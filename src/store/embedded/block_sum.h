// SPDX-License-Identifier: Apache-2.0
// Adds up blocks that share a dictionary: by the numbers of stacks, without looking at frames, which is what makes an hour
// of a service a matter of milliseconds. Holds the sum, never the blocks.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <unordered_map>
#include <vector>

#include "reduce/merge.h"
#include "store/embedded/header_sum.h"

namespace atys::store {

class BlockSum {
 public:
  using Wanted = std::function<bool(const BlockWindow&)>;  // empty: every window

  explicit BlockSum(Detail detail) : detail_(detail) {}

  // Returns how many windows it took.
  size_t add(const Block& block, const Wanted& wanted = {});
  // Each window of the block into the sum that stands in its place; null: into none. One pass, however many sums.
  static void distribute(const Block& block, const std::vector<BlockSum*>& of_windows);
  bool empty() const { return parts_.empty(); }

  // Adds the sum, as profiles, to another one; facts and comments to `facts`.
  void finish_into(reduce::Merger& merger, FactSum& facts, const Dictionary& dictionary) const;
  // The sum as blocks of one window each, one for each list of value types.
  std::vector<Block> finish_blocks(Dictionary& dictionary, int64_t start_ns, int64_t end_ns) const;

 private:
  struct RowKey {
    uint32_t stack = 0;
    uint32_t labels = 0;
    int64_t time_ns = 0;

    bool operator==(const RowKey&) const = default;
  };
  struct HashRow {
    size_t operator()(const RowKey& key) const;
  };
  struct Place {
    uint64_t start = 0;
    uint8_t flags = 0;
  };
  // The windows that have the same value types.
  struct Part {
    HeaderSum header;
    std::map<profile::MappingId, Place> places;
    std::vector<RowKey> keys;
    std::vector<std::vector<int64_t>> values;  // [type][row]
    std::vector<uint32_t> row_of_stack;        // + 1; of rows without labels and time
    std::unordered_map<RowKey, uint32_t, HashRow> other_rows;

    uint32_t row_of(const RowKey& key);
    void add_places(const std::vector<MappingPlace>& from);
    Profile profile_of(const std::vector<profile::ValueType>& types, FactSum& facts, const Profile& dictionary) const;
  };
  using Types = std::vector<std::pair<uint32_t, uint32_t>>;  // of value types, by number

  Part& part_for(const Block& block);
  RowKey key_of(const Block& block, size_t row) const;

  Detail detail_;
  std::map<Types, Part> parts_;
};

}  // namespace atys::store
