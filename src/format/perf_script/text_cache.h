// SPDX-License-Identifier: Apache-2.0
// Remembers what a text was turned into. Holds 96 bits of a seeded hash instead of the text, so a look-up touches one cache
// line: with ten million texts the odds of a mix-up are below 10^-15, and nobody can raise them who does not know the seed.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace atys::format::perf_script {

struct TextKey {
  uint64_t low = 0;
  uint32_t high = 0;
};

class TextHasher {
 public:
  TextHasher();
  // The same text gives different keys in different scopes.
  TextKey key(std::string_view text, uint64_t scope) const;

 private:
  static constexpr size_t kSecretBytes = 192;
  uint64_t seed_;
  std::array<char, kSecretBytes> secret_;  // for long texts; deriving it anew from the seed takes longer than hashing a line
};

class TextCache {
 public:
  // Begins to load what `find` will look at, so that several loads overlap.
  void prefetch(const TextKey& key) const { __builtin_prefetch(&slots_[key.low & mask_]); }

  // The number stored under `key`; 0: none.
  uint32_t find(const TextKey& key) const {
    for (size_t slot = key.low & mask_;; slot = (slot + 1) & mask_) {
      const Slot& candidate = slots_[slot];
      if (candidate.number == 0 || (candidate.low == key.low && candidate.high == key.high)) return candidate.number;
    }
  }

  // `key` is not there yet and `number` is not 0.
  void add(const TextKey& key, uint32_t number);

 private:
  struct Slot {
    uint64_t low = 0;
    uint32_t high = 0;
    uint32_t number = 0;  // 0: free
  };

  void place(const Slot& entry);

  std::vector<Slot> slots_{1024};
  size_t mask_ = 1023;
  size_t count_ = 0;
};

}  // namespace atys::format::perf_script
