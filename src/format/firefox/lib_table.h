// SPDX-License-Identifier: Apache-2.0
// The files that the frames of a profile lie in, as the Firefox Profiler knows them: told apart by path and build id,
// without the addresses at which they were mapped.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/json.h"
#include "profile/profile.h"

namespace atys::format::firefox {

inline constexpr int64_t kNone = -1;

class LibTable {
 public:
  // Position of the mapping's file, or kNone if it has no name.
  int64_t intern(const Profile& profile, profile::MappingId mapping);

  size_t size() const { return libs_.size(); }
  const std::string& name(size_t lib) const { return libs_[lib].name; }
  void write(JsonWriter& json) const;

 private:
  struct Lib {
    std::string path;
    std::string name;
    std::string build_id;
  };

  std::vector<Lib> libs_;
  std::map<std::pair<std::string, std::string>, int64_t> known_;  // path and build id
  std::vector<int64_t> lib_of_mapping_;
};

// The id under which symbol servers know a file: the first 16 bytes of the build id as a GUID, and an age of 0.
std::string breakpad_id(std::string_view build_id);

}  // namespace atys::format::firefox
