// SPDX-License-Identifier: Apache-2.0
// The local profile library: profiles kept under ATYS_HOME, one pprof file each, found again by id. An id is 32 hexadecimal
// digits, the recording's own or, for a profile without one, a fingerprint of its content; its first six digits will do.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "profile/profile.h"

namespace atys::store {

struct LibraryEntry {
  std::string id;
  std::string path;
  int64_t bytes = 0;
  int64_t modified_ns = 0;  // Unix time
};

class Library {
 public:
  // ATYS_HOME, else the XDG data folder. Nothing is created until something is kept.
  static Library open_default();
  explicit Library(std::string home) : home_(std::move(home)) {}

  // Returns the entry; a profile that is there already is not written again.
  Result<LibraryEntry> keep(const Profile& profile) const;
  Result<std::vector<LibraryEntry>> list() const;  // newest first
  // By id or by its first digits, at least six; fails if none or several fit.
  Result<LibraryEntry> find(std::string_view id_or_prefix) const;
  Result<Profile> read(const LibraryEntry& entry) const;
  Result<> remove(const LibraryEntry& entry) const;

  const std::string& home() const { return home_; }

 private:
  std::string folder() const { return home_ + "/profiles"; }

  std::string home_;
};

// Whether `text` could be an id or the beginning of one.
bool looks_like_id(std::string_view text);

}  // namespace atys::store
