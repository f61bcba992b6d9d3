// SPDX-License-Identifier: Apache-2.0
// Long texts, laid out as they are read and indented with the code around them: R"(…)"_text. No formatter touches what is in
// R"(…)".
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace atys::cli {

// The lines between the one that opens the text and the one that closes it, without the indent that the closing one has.
template <size_t kRawSize>
struct RawText {
  consteval RawText(const char (&raw)[kRawSize]) {  // implicit: the operator below wants it
    const std::string_view all(raw, kRawSize - 1);
    const size_t last = all.rfind('\n');
    const size_t indent = all.size() - last - 1;
    if (last == std::string_view::npos || all.find_first_not_of(' ', last + 1) != std::string_view::npos || raw[0] != '\n')
      throw "the text begins behind a line break and ends before one";
    for (size_t at = 1; at <= last;) {
      const size_t end = all.find('\n', at);
      const std::string_view line = all.substr(at, end - at);
      if (!line.empty() && line.find_first_not_of(' ') < indent) throw "a line has less indent than the closing bracket";
      if (at > 1) text[size++] = '\n';
      for (const char c : line.substr(std::min(indent, line.size()))) text[size++] = c;
      at = end + 1;
    }
  }

  char text[kRawSize] = {};
  size_t size = 0;
};

template <RawText kText>
consteval std::string_view operator""_text() {
  return {kText.text, kText.size};
}

}  // namespace atys::cli
