// SPDX-License-Identifier: Apache-2.0
#include "profile/fingerprint.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace atys::profile {

namespace {

Fingerprint of_words(std::span<const uint64_t> words) {
  return fingerprint_of({reinterpret_cast<const char*>(words.data()), words.size_bytes()});
}

}  // namespace

Fingerprint fingerprint_of(std::string_view bytes, uint64_t salt) {
  const XXH128_hash_t hash = XXH3_128bits_withSeed(bytes.data(), bytes.size(), hash_seed() ^ salt);
  return {hash.low64, hash.high64};
}

void FingerprintMap::add(const Fingerprint& key, uint32_t value) {
  if ((count_ + 1) * 10 > slots_.size() * 6) {
    std::vector<Slot> old = std::move(slots_);
    slots_.assign(old.empty() ? 64 : old.size() * 2, Slot{});
    mask_ = slots_.size() - 1;
    count_ = 0;
    for (const Slot& slot : old) {
      if (slot.value != kAbsent) add(slot.key, slot.value);
    }
  }
  size_t slot = key.low & mask_;
  while (slots_[slot].value != kAbsent) slot = (slot + 1) & mask_;
  slots_[slot] = {key, value};
  ++count_;
}

const Fingerprint& FrameFingerprints::of_string(StringId id) {
  Fingerprint& known = strings_[raw(id)];
  if (known == Fingerprint{}) known = fingerprint_of(profile_->text(id));
  return known;
}

const Fingerprint& FrameFingerprints::of_mapping(MappingId id) {
  Fingerprint& known = mappings_[raw(id)];
  if (known == Fingerprint{}) {
    const Mapping& mapping = profile_->mappings[id];
    const Fingerprint name = of_string(mapping.filename);
    const Fingerprint build = of_string(mapping.build_id);
    const uint64_t words[] = {raw(id) == 0 ? 0u : 1u,
                              mapping.limit - mapping.start,
                              mapping.file_offset,
                              name.low,
                              name.high,
                              build.low,
                              build.high};
    known = of_words(words);
  }
  return known;
}

bool FrameFingerprints::of(FrameId id, Fingerprint& result) {
  const Frame& frame = profile_->frames[id];
  const Mapping& mapping = profile_->mappings[frame.mapping];
  if (frame.attributes != kNoLabels || mapping.attributes != kNoLabels) return false;
  const Fingerprint place = of_mapping(frame.mapping);
  const Fingerprint kind = of_string(frame.kind);
  words_.assign({frame.address - mapping.start, frame.is_folded ? 1u : 0u, place.low, place.high, kind.low, kind.high});
  for (const Line& line : profile_->lines[frame.lines]) {
    const Function& function = profile_->functions[line.function];
    const Fingerprint name = of_string(function.name);
    const Fingerprint system_name = of_string(function.system_name);
    const Fingerprint file = of_string(function.filename);
    words_.insert(words_.end(), {static_cast<uint64_t>(line.line), static_cast<uint64_t>(line.column),
                                 static_cast<uint64_t>(function.start_line), name.low, name.high, system_name.low,
                                 system_name.high, file.low, file.high});
  }
  result = of_words(words_);
  return true;
}

}  // namespace atys::profile
