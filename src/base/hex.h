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

// 0 to 15, of either case; -1: it is no digit.
constexpr int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}
constexpr bool is_hex_digit(char c) { return hex_value(c) >= 0; }

// Digits and nothing else; of none as well.
constexpr bool is_hex(std::string_view text) {
  for (const char c : text)
    if (!is_hex_digit(c)) return false;
  return true;
}
// As to_hex() writes them, and ids are told.
constexpr bool is_lower_hex(std::string_view text) {
  for (const char c : text)
    if (!is_hex_digit(c) || (c >= 'A' && c <= 'F')) return false;
  return true;
}

}  // namespace atys
