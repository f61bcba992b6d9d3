// SPDX-License-Identifier: Apache-2.0
// Bytes as text, the two ways that OTLP/JSON has: hexadecimal for trace, span and profile ids, base64 for the rest.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace atys::format::otlp {

std::string to_hex(std::string_view bytes);
// Digits of either case; nothing if it is not hexadecimal.
std::optional<std::string> from_hex(std::string_view text);

std::string to_base64(std::string_view bytes);
// The standard alphabet or the one for URLs, padded or not; nothing if it is neither.
std::optional<std::string> from_base64(std::string_view text);

}  // namespace atys::format::otlp
