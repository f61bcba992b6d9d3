// SPDX-License-Identifier: Apache-2.0
// How frames are called in collapsed stacks: annotated, free of separators. Frames that differ only in what the format does
// not carry (address, line) get the same names.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "profile/profile.h"

namespace atys::format::collapsed {

// Position of a name in NameTable, and a list of names.
using NameId = uint32_t;
enum class NameListId : uint32_t {};

class NameTable {
 public:
  explicit NameTable(const Profile& profile);

  // The names of a frame from the outermost function to the innermost inlined one; at least one.
  std::span<const NameId> names_of(profile::FrameId frame);
  std::string_view text(NameId name) const { return texts_.view(profile::StringId{name}); }
  NameId intern(std::string_view name) { return profile::raw(texts_.intern(name)); }

  // For each name its place in the byte order of names followed by ';'.
  std::vector<uint32_t> ranks() const;

 private:
  NameListId make_names(const profile::Frame& frame);
  NameListId names_of_lines(const profile::Frame& frame);

  const Profile* profile_;
  profile::StringTable texts_;
  profile::ListTable<NameId, NameListId> lists_;
  std::vector<NameListId> by_frame_;  // NameListId{0}: not made yet
  // Most frames of a large profile share lines and kind with others: (lines, kind) → names.
  struct Resolved {
    profile::LineListId lines;
    profile::StringId kind;
    NameListId names;
  };
  std::vector<Resolved> resolved_;
  profile::HashIndex resolved_index_;
  std::vector<NameId> scratch_;
};

}  // namespace atys::format::collapsed
