// SPDX-License-Identifier: Apache-2.0
// The ids that a pprof file gives its rows (any non-zero 64-bit numbers) → positions in our tables. Nearly every writer
// counts from one, so that is an array; the odd one (a hash of the address, say) goes to a hash map.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace atys::format::pprof {

class IdMap {
 public:
  explicit IdMap(size_t expected) : dense_(expected + 2) {}

  // False if the id was there already.
  bool add(uint64_t id, uint32_t position) {
    if (id >= dense_.size()) return sparse_.emplace(id, position).second;
    if (dense_[id] != 0) return false;
    dense_[id] = position + 1;
    return true;
  }

  bool find(uint64_t id, uint32_t& position) const {
    if (id < dense_.size()) {
      position = dense_[id] - 1;
      return dense_[id] != 0;
    }
    const auto found = sparse_.find(id);
    if (found == sparse_.end()) return false;
    position = found->second;
    return true;
  }

 private:
  std::vector<uint32_t> dense_;
  std::unordered_map<uint64_t, uint32_t> sparse_;
};

}  // namespace atys::format::pprof
