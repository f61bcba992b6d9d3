// SPDX-License-Identifier: Apache-2.0
#include "format/perf_script/text_cache.h"

#include "profile/hash_index.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace atys::format::perf_script {

TextHasher::TextHasher() : seed_(profile::hash_seed()), secret_{} {
  static_assert(kSecretBytes == XXH3_SECRET_DEFAULT_SIZE);
  XXH3_generateSecret_fromSeed(secret_.data(), seed_);
}

TextKey TextHasher::key(std::string_view text, uint64_t scope) const {
  const XXH128_hash_t hash =
      XXH3_128bits_withSecretandSeed(text.data(), text.size(), secret_.data(), secret_.size(), seed_ ^ scope);
  // Long texts use the secret and ignore the seed, so the scope is mixed in afterwards too.
  return {hash.low64 ^ (scope * 0x9e3779b97f4a7c15ULL), static_cast<uint32_t>(hash.high64)};
}

void TextCache::place(const Slot& entry) {
  size_t slot = entry.low & mask_;
  while (slots_[slot].number != 0) slot = (slot + 1) & mask_;
  slots_[slot] = entry;
}

void TextCache::add(const TextKey& key, uint32_t number) {
  if (++count_ * 10 > slots_.size() * 7) {
    std::vector<Slot> old(slots_.size() * 2);
    old.swap(slots_);
    mask_ = slots_.size() - 1;
    for (const Slot& entry : old) {
      if (entry.number != 0) place(entry);
    }
  }
  place({key.low, key.high, number});
}

}  // namespace atys::format::perf_script
