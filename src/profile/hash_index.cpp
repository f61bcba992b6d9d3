// SPDX-License-Identifier: Apache-2.0
#include "profile/hash_index.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/random.h"

namespace atys::profile {

uint64_t hash_seed() {
  static const uint64_t seed = [] {
    uint64_t random = 0;
    // Without entropy (very early boot) a fixed seed only costs the protection against crafted collisions.
    if (!fill_random(std::as_writable_bytes(std::span(&random, 1)))) random = 0x517cc1b727220a95ULL;
    return random;
  }();
  return seed;
}

uint64_t hash_bytes(std::string_view bytes) { return XXH3_64bits_withSeed(bytes.data(), bytes.size(), hash_seed()); }

void HashIndex::grow() {
  std::vector<Slot> old = std::move(slots_);
  slots_.assign(old.empty() ? 64 : old.size() * 2, Slot{0, 0});
  mask_ = slots_.size() - 1;
  for (const Slot& entry : old) {
    if (entry.position_plus_one == 0) continue;
    size_t slot = entry.tag & mask_;
    while (slots_[slot].position_plus_one != 0) slot = (slot + 1) & mask_;
    slots_[slot] = entry;
  }
}

}  // namespace atys::profile
