// SPDX-License-Identifier: Apache-2.0
#include "verbs/follow_up.h"

#include <algorithm>

#include "base/utf8.h"

namespace atys::verbs {

std::string quote_for_shell(std::string_view text) {
  const std::string shown = printable(text);
  const auto is_plain = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
           std::string_view("_-./:@%+=,").find(c) != std::string_view::npos;
  };
  if (!shown.empty() && std::ranges::all_of(shown, is_plain)) return shown;
  std::string quoted = "'";
  for (const char c : shown) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::string escape_for_pattern(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (std::string_view(R"(\^$.|?*+()[]{})").find(c) != std::string_view::npos) escaped += '\\';
    escaped += c;
  }
  return escaped;
}

}  // namespace atys::verbs
