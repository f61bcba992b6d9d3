// SPDX-License-Identifier: Apache-2.0
// What the blocks of one service in one file refer to by number: strings, labels, mappings, functions, frames, stacks. It is
// a profile without samples whose tables only grow; what has been added since some time is a *chunk*, and all chunks in
// order are the dictionary. Mappings begin at 0 and frames are offsets, as reduce::merge wants them: instances of a program,
// each at its own addresses, have the same stacks. A dictionary that has become large is followed by a fresh one.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "profile/fingerprint.h"
#include "profile/profile.h"

namespace atys::store {

class Dictionary {
 public:
  // Entries of each table, the empty one included.
  using Sizes = std::array<uint32_t, 8>;

  Sizes sizes() const;
  // Grows with every entry: says how far a dictionary, or a chunk, reaches.
  static uint64_t height(const Sizes& sizes);
  uint64_t height() const { return height(sizes()); }

  // Uncompressed bytes of what was added since the dictionary had these sizes.
  std::string chunk_since(const Sizes& begin) const;
  // The sizes that a dictionary has before a chunk.
  static Result<Sizes> begin_of(std::string_view chunk);
  // Adds what a chunk has beyond what is here. Fails if chunks before it are missing or its bytes make no sense; then the
  // dictionary is as it was or has some of the entries, all of them valid.
  Result<> load(std::string_view chunk);

  const Profile& tables() const { return tables_; }
  Profile& tables() { return tables_; }
  // Frames by content, as far as they have been looked for: finds in one step what the tables find in five.
  profile::FingerprintMap& known_frames() { return known_frames_; }
  size_t memory_bytes() const { return tables_.memory_bytes() + known_frames_.memory_bytes(); }

 private:
  Profile tables_;
  profile::FingerprintMap known_frames_;
};

}  // namespace atys::store
