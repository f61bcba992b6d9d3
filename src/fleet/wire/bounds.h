// SPDX-License-Identifier: Apache-2.0
// How long a text may be that comes over the wire: everything that is kept of it is multiplied by nodes, windows and days.
// What is longer is refused with its name, never cut by whoever receives it: two long names may begin alike. Whoever sends
// what a person only reads, such as a trouble, cuts it himself.
#pragma once

#include <fmt/format.h>

#include <string_view>

#include "base/result.h"

namespace atys::fleet {

struct Bound {
  const char* what;
  size_t most_bytes;
};

namespace bounds {

inline constexpr Bound kNode{"the name of a node", 255};
inline constexpr Bound kVersion{"a version", 255};
inline constexpr Bound kAddress{"an address for metrics", 300};
inline constexpr Bound kLabelKey{"the key of a label", 100};
inline constexpr Bound kLabelValue{"the value of a label", 512};
inline constexpr Bound kTaskName{"the name of a task", 100};
inline constexpr Bound kTrouble{"a trouble", 2000};
inline constexpr Bound kTaskText{"a task", size_t{64} << 10};
inline constexpr Bound kReport{"a report", size_t{256} << 10};
inline constexpr Bound kService{"the name of a service", 255};
inline constexpr Bound kInstance{"the name of an instance", 512};
inline constexpr Bound kKind{"a kind of profile", 100};
inline constexpr Bound kProfileText{"a name in a profile", size_t{64} << 10};  // the longest that symbolize/ makes
inline constexpr Bound kToken{"a token", 1000};

}  // namespace bounds

inline Result<> within(const Bound& bound, std::string_view text) {
  if (text.size() <= bound.most_bytes) return {};
  return fail(ErrorCode::InvalidInput, fmt::format("{} of {} bytes, where {} are the most: {}…", bound.what, text.size(),
                                                   bound.most_bytes, text.substr(0, 40)));
}

// Of what is told to people: as much as may be sent.
inline std::string_view cut(const Bound& bound, std::string_view text) { return text.substr(0, bound.most_bytes); }

}  // namespace atys::fleet
