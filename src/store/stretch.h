// SPDX-License-Identifier: Apache-2.0
// Windows of an adaptive rate come in stretches: those of one are alike, and tell of each other when they are merged
// (adapt/pooling.h). A store keeps with a window which one it is of, and need not know more.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace atys::store {

struct Stretch {
  std::string stream;    // whose stretches are counted: a sender and its task. Empty: of no stretch
  uint64_t number = 0;   // adapt/stretch.h says how they are numbered
  int64_t began_ns = 0;  // when a change began, where that may have been in the window before; 0: not known
  // The rate, in steps. Windows at different rates are weighed when they are pooled, so that they are grouped apart.
  int64_t rate = 0;

  bool is_none() const { return stream.empty(); }
  auto operator<=>(const Stretch&) const = default;
};

// "STREAM/NUMBER@RATE", or "STREAM/NUMBER-MILLISECONDS@RATE"; empty: none. As controllers tell each other, and as it was a
// label once: what is in files and on its way reads the same.
std::string to_text(const Stretch& stretch);
// Nothing: it makes no sense.
std::optional<Stretch> parse_stretch(std::string_view text);

}  // namespace atys::store
