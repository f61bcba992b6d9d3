// SPDX-License-Identifier: Apache-2.0
// Bytes as text in OTLP/JSON, but for trace, span and profile ids, which are hexadecimal.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace atys::format::otlp {

std::string to_base64(std::string_view bytes);
// The standard alphabet or the one for URLs, padded or not; nothing if it is neither.
std::optional<std::string> from_base64(std::string_view text);

}  // namespace atys::format::otlp
