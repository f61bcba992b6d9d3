// SPDX-License-Identifier: Apache-2.0
// Names for functions that have none, and for those whose names differ from run to run. All callbacks of a JavaScript file
// are "(anonymous)", all comprehensions of a Python one may be "<listcomp>": told apart by name and file alone they would be
// one function. Where it is known in which line each begins they get names of their own, "(anonymous):7 in indexById". The
// function around it is the one of the same file that begins last before it among all those that it was called from, which
// is right for callbacks that are called while that function runs; others get their line alone. A Java virtual machine puts
// addresses into the names of classes that it makes: "Order$$Lambda/0x00007f…" is "Order$$Lambda".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profile/profile.h"

namespace atys::reduce {

// What people are shown as the names of one profile's functions.
class FunctionNames {
 public:
  // The profile outlives this and does not change meanwhile.
  explicit FunctionNames(const Profile& profile);

  // Whether any function has another name than the one in the profile.
  bool has_any() const { return !shown_.empty(); }
  std::string_view of(profile::FunctionId id) const;

 private:
  const Profile* profile_;
  std::vector<std::string> shown_;  // by function; empty: as it is. No entries: all are
};

// The file of a function; may be empty. Some runtimes tell the class alone, which may tell the file.
std::string shown_file(const Profile& profile, const profile::Frame& frame, profile::FunctionId id);

// The same samples; a profile in which every function has a name of its own is given back as it is.
Profile name_anonymous_functions(Profile profile);

// A name that depends on nothing but the function, so that it is the same in every profile: "(anonymous):7 in app.js".
std::string lasting_name(const Profile& profile, profile::FunctionId id);

// Whether people may have been shown that name for the function, in this profile or in a larger one.
bool may_be_shown_as(const Profile& profile, profile::FunctionId id, std::string_view shown);

// A file can say any number; no source has more.
inline constexpr int64_t kMostLines = int64_t{1} << 40;

// What the name of a function without a name is made of, here or where symbols are read: "(anonymous):7 in indexById",
// "render.<locals>.<lambda>:12", "run(int)::{lambda}:42<int>".
struct AnonymousName {
  std::string word;  // all but the line and the function around it: "(anonymous)", "run(int)::{lambda}<int>"
  int64_t line = 0;
  std::string_view around;  // empty: not known, or said by the word
};
std::optional<AnonymousName> parse_anonymous_name(std::string_view name);

}  // namespace atys::reduce
