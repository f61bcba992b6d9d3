// SPDX-License-Identifier: Apache-2.0
// Names from outside are bytes; JSON and OTLP want UTF-8. A byte that is not part of valid UTF-8 is written as one code
// point of a private range, U+10FF00 plus the byte, and read back as that byte. Code points of that range that were in the
// name are escaped byte by byte too, so the way there and back is exact for every string.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace atys {

bool is_utf8(std::string_view text);
std::string to_utf8(std::string_view bytes);
std::string from_utf8(std::string_view text);

// For people: what is not UTF-8 becomes U+FFFD, control characters become spaces. So do, as U+FFFD, characters that change
// how others are shown or cannot be seen at all (is_unseen below): what is left reads the same to a person, a terminal and a
// program.
std::string printable(std::string_view bytes);

// Characters that names could hide text with or turn it round by: bidirectional controls, zero-width characters, tags,
// variation selectors, line separators, private use, noncharacters.
bool is_unseen(uint32_t code_point);

// The character that valid UTF-8 begins with, and how many bytes it takes; length 0: `text` is empty or does not begin with
// one.
struct CodePoint {
  uint32_t value = 0;
  size_t length = 0;
};
CodePoint first_code_point(std::string_view text);

}  // namespace atys
