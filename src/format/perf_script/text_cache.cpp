// SPDX-License-Identifier: Apache-2.0
#include "format/perf_script/text_cache.h"

#include <array>

#include "profile/hash_index.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace atys::format::perf_script {

namespace {

// Long texts are hashed with a secret. Deriving it from the seed takes longer than hashing a line, so it is done once.
const std::array<char, XXH3_SECRET_DEFAULT_SIZE>& secret() {
  static const std::array<char, XXH3_SECRET_DEFAULT_SIZE> made = [] {
    std::array<char, XXH3_SECRET_DEFAULT_SIZE> bytes{};
    XXH3_generateSecret_fromSeed(bytes.data(), profile::hash_seed());
    return bytes;
  }();
  return made;
}

}  // namespace

TextKey text_key(std::string_view text, uint64_t scope) {
  static const uint64_t seed = profile::hash_seed();
  static const char* const long_secret = secret().data();
  // Long texts ignore the seed, so the scope is mixed in afterwards too.
  const XXH128_hash_t hash =
      XXH3_128bits_withSecretandSeed(text.data(), text.size(), long_secret, XXH3_SECRET_DEFAULT_SIZE, seed ^ scope);
  const uint64_t low = hash.low64 ^ (scope * 0x9e3779b97f4a7c15ULL);
  return {low, static_cast<uint32_t>(hash.high64)};
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
