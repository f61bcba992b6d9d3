// SPDX-License-Identifier: Apache-2.0
// Finds the position of an equal row. The rows live elsewhere; this holds only (hash, position) pairs, eight bytes a slot,
// open addressing. Hashes are seeded per process, so no input can be made to collide on purpose; nothing that is written
// depends on hash order.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace atys::profile {

uint64_t hash_bytes(std::string_view bytes);
uint64_t hash_seed();

// Two rounds of multiply and fold: enough for ids, which are small and dense.
inline uint64_t hash_mix(uint64_t a, uint64_t b) {
  const __uint128_t product = static_cast<__uint128_t>(a ^ 0x9e3779b97f4a7c15ULL) * (b ^ 0xd1b54a32d192ed03ULL);
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

class HashIndex {
 public:
  // The position stored under `hash` for which `is_equal(position)`; if there is none, stores and returns `next`.
  template <typename IsEqual>
  uint32_t find_or_add(uint64_t hash, uint32_t next, const IsEqual& is_equal) {
    if ((count_ + 1) * 10 > slots_.size() * 7) grow();
    const auto tag = static_cast<uint32_t>(hash >> 32);
    for (size_t slot = tag & mask_;; slot = (slot + 1) & mask_) {
      if (slots_[slot].position_plus_one == 0) {
        slots_[slot] = {tag, next + 1};
        ++count_;
        return next;
      }
      if (slots_[slot].tag == tag && is_equal(slots_[slot].position_plus_one - 1)) {
        return slots_[slot].position_plus_one - 1;
      }
    }
  }

  // How many rows, counted from the first, the owner has put in here so far.
  uint32_t indexed_rows = 0;

  size_t memory_bytes() const { return slots_.capacity() * sizeof(Slot); }

 private:
  struct Slot {
    uint32_t tag;
    uint32_t position_plus_one;  // 0: free
  };

  void grow();

  std::vector<Slot> slots_;
  size_t mask_ = 0;
  size_t count_ = 0;
};

}  // namespace atys::profile
