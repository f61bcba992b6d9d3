// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace atys {

// "a, b, c" of the parts and ", "; `text_of` says what to write for a part.
template <typename Parts, typename TextOf>
std::string joined(const Parts& parts, std::string_view between, const TextOf& text_of) {
  std::string text;
  bool is_first = true;
  for (const auto& part : parts) {
    if (!is_first) text += between;
    text += text_of(part);
    is_first = false;
  }
  return text;
}

template <typename Parts>
std::string joined(const Parts& parts, std::string_view between = ", ") {
  return joined(parts, between, [](const auto& part) -> std::string_view { return part; });
}

// One more part of a list that is written as it comes.
inline void add_to_list(std::string& list, std::string_view part, std::string_view between = ", ") {
  if (!list.empty()) list += between;
  list += part;
}

}  // namespace atys
