// SPDX-License-Identifier: Apache-2.0
// When, within a window whose samples have times, a service changed. A hundred samples say to a tenth how much of a window
// was before; when they were taken says it to a few hundredths.
#pragma once

#include <optional>

#include "adapt/shares.h"

namespace atys::adapt {

// Unix time. What is before `from_ns` is as it was, what is from `to_ns` on is something else; between may be either.
struct Cut {
  int64_t from_ns = 0;
  int64_t to_ns = 0;
};

// `before`: what was known when the window began. Nothing: its samples have no times, or do not show when it was.
std::optional<Cut> find_cut(const Shares& before, const Profile& window, size_t column);

// When, in the window before the one that shows it, a change began; nothing: for all that is known, not in that window.
// `after`: what came then.
std::optional<int64_t> find_beginning(const Shares& before, const Profile& window, const Shares& after, size_t column);

}  // namespace atys::adapt
