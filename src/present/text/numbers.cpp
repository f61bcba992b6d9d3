// SPDX-License-Identifier: Apache-2.0
#include "present/text/numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/utf8.h"

namespace atys::present::text {

namespace {

// Byte ranges of characters: a cut must not fall inside one.
size_t back_to_character(std::string_view text, size_t at) {
  while (at > 0 && at < text.size() && (static_cast<unsigned char>(text[at]) & 0xc0) == 0x80) --at;
  return at;
}

}  // namespace

std::string percent(double value) { return fmt::format("{:.2f}%", value); }

std::string signed_percent(double value) { return fmt::format("{:+.2f}%", value); }

std::string percent_range(double low, double high) {
  return std::isnan(low) ? std::string(kUnknown) : fmt::format("{:.1f}..{:.1f}", low, high);
}

std::string duration(int64_t nanoseconds) {
  const double seconds = static_cast<double>(nanoseconds) / 1e9;
  if (std::abs(seconds) < 60) return quantity(static_cast<double>(nanoseconds), "nanoseconds");
  const auto whole = static_cast<int64_t>(seconds);
  if (whole < 3600) return fmt::format("{}m{}s", whole / 60, whole % 60);
  return fmt::format("{}h{}m", whole / 3600, whole / 60 % 60);
}

std::string one_line(std::string_view raw) { return printable(raw); }

bool is_odd_name(std::string_view raw) {
  static constexpr size_t kMostWords = 4;  // "unsigned long long f() const"
  if (printable(raw) != raw || raw.find_first_of("\"`") != std::string_view::npos) return true;
  size_t words = 0;
  int depth = 0;
  char before = 0;
  for (const char c : raw) {
    if (c == '(' || c == '<' || c == '[' || c == '{') ++depth;
    if ((c == ')' || c == '>' || c == ']' || c == '}') && depth > 0) --depth;
    if (c == ' ' && depth == 0 && before != '>') ++words;  // "a > b" is a path of two names
    if (c == '>' && before == ' ' && words > 0) --words;
    before = c;
  }
  return words > kMostWords;
}

std::string name(std::string_view raw, size_t most) {
  const bool is_odd = is_odd_name(raw.substr(0, 4096));
  std::string text = one_line(raw);
  if (text.empty()) return "(no name)";
  if (text.size() > most) {
    const size_t head = back_to_character(text, most * 2 / 3);
    const size_t tail = back_to_character(text, text.size() - most / 3);
    text = text.substr(0, head) + "…" + text.substr(tail);
  }
  if (!is_odd) return text;
  std::ranges::replace(text, '"', '\'');
  return "\"" + text + "\"";
}

}  // namespace atys::present::text
