// SPDX-License-Identifier: Apache-2.0
// 128-bit hashes of content, seeded per process, that stand for the content itself: two different things collide with a
// chance of about 2^-90 even among billions, so equal fingerprints are taken as equal content without looking. That makes
// one look-up of what would be five (strings, function, lines, frame), which is what merging spends its time on.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "profile/ids.h"
#include "profile/profile.h"

namespace atys::profile {

struct Fingerprint {
  uint64_t low = 0;
  uint64_t high = 0;

  bool operator==(const Fingerprint&) const = default;
};

Fingerprint fingerprint_of(std::string_view bytes, uint64_t salt = 0);

// Fingerprint → a 32-bit number, open addressing.
class FingerprintMap {
 public:
  static constexpr uint32_t kAbsent = UINT32_MAX;

  uint32_t find(const Fingerprint& key) const {
    if (slots_.empty()) return kAbsent;
    for (size_t slot = key.low & mask_;; slot = (slot + 1) & mask_) {
      if (slots_[slot].value == kAbsent || slots_[slot].key == key) return slots_[slot].value;
    }
  }
  void add(const Fingerprint& key, uint32_t value);  // not there yet
  // Starts loading what `find` will look at, so that many look-ups can wait for memory at once.
  void prefetch(const Fingerprint& key) const {
    if (!slots_.empty()) __builtin_prefetch(&slots_[key.low & mask_]);
  }
  size_t memory_bytes() const { return slots_.capacity() * sizeof(Slot); }

 private:
  struct Slot {
    Fingerprint key;
    uint32_t value = kAbsent;
  };

  std::vector<Slot> slots_;
  size_t mask_ = 0;
  size_t count_ = 0;
};

// Fingerprints of the frames of one profile, with addresses relative to their mapping, as merge sees them.
class FrameFingerprints {
 public:
  explicit FrameFingerprints(const Profile& profile)
      : profile_(&profile), strings_(profile.strings.size()), mappings_(profile.mappings.size()) {}

  // Frames that carry attributes have none: false.
  bool of(FrameId id, Fingerprint& result);

 private:
  const Fingerprint& of_string(StringId id);
  const Fingerprint& of_mapping(MappingId id);

  const Profile* profile_;
  std::vector<Fingerprint> strings_, mappings_;  // zero: not computed yet
  std::vector<uint64_t> words_;                  // scratch
};

}  // namespace atys::profile
