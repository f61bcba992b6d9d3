// SPDX-License-Identifier: Apache-2.0
// Pieces of the text files of /proc and /sys: lines, words, numbers, "Key: value".
#pragma once

#include <charconv>
#include <concepts>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace atys::linux {

// Calls `use` with each line, without its newline.
template <typename Use>
void for_each_line(std::string_view text, const Use& use) {
  while (!text.empty()) {
    const size_t end = text.find('\n');
    use(text.substr(0, end));
    text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
  }
}

// The whole of `text`, surrounded by nothing but white space.
template <std::integral Number>
std::optional<Number> parse_number(std::string_view text, int base = 10) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, base);
  if (error != std::errc{} || end != text.data() + text.size()) return {};
  return number;
}

// What stands between white space.
std::vector<std::string_view> words_of(std::string_view text);

// The value after "KEY:" in a file such as /proc/PID/status; empty if there is no such line.
std::string_view value_of(std::string_view text, std::string_view key);

// Strings that end in a zero byte each, such as /proc/PID/cmdline. The last may lack it.
std::vector<std::string> split_zero_ended(std::string_view text);

}  // namespace atys::linux
