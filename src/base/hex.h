// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace atys {

// Two lower-case digits a byte.
std::string to_hex(std::string_view bytes);
std::string to_hex(std::span<const std::byte> bytes);
// Digits of either case; nothing if it is not hexadecimal.
std::optional<std::string> from_hex(std::string_view text);

}  // namespace atys
