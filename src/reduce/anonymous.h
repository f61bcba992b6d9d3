// SPDX-License-Identifier: Apache-2.0
// Names for functions that have none. All callbacks of a JavaScript file are "(anonymous)", all comprehensions of a Python
// one may be "<listcomp>": told apart by name and file alone they would be one function. Where it is known in which line
// each begins they get names of their own, "(anonymous):7 in indexById". The function around it is the one of the same
// file that begins last before it among all those that it was called from, which is right for callbacks that are called
// while that function runs; others get their line alone.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "profile/profile.h"

namespace atys::reduce {

// The same samples; a profile in which every function has a name of its own is given back as it is.
Profile name_anonymous_functions(Profile profile);

// A file can say any number; no source has more.
inline constexpr int64_t kMostLines = int64_t{1} << 40;

// What such a name is made of.
struct AnonymousName {
  std::string_view word;  // "(anonymous)"
  int64_t line = 0;
  std::string_view around;  // empty: not known
};
std::optional<AnonymousName> parse_anonymous_name(std::string_view name);

}  // namespace atys::reduce
