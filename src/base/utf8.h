// SPDX-License-Identifier: Apache-2.0
// Names from outside are bytes; JSON and OTLP want UTF-8. A byte that is not part of valid UTF-8 is written as one code
// point of a private range, U+10FF00 plus the byte, and read back as that byte. Code points of that range that were in the
// name are escaped byte by byte too, so the way there and back is exact for every string.
#pragma once

#include <string>
#include <string_view>

namespace atys {

bool is_utf8(std::string_view text);
std::string to_utf8(std::string_view bytes);
std::string from_utf8(std::string_view text);

// For people: what is not UTF-8 becomes U+FFFD, control characters become spaces.
std::string printable(std::string_view bytes);

}  // namespace atys
