// SPDX-License-Identifier: Apache-2.0
#include "linux/proc_text.h"

namespace atys::linux {

std::vector<std::string_view> words_of(std::string_view text) {
  constexpr std::string_view kWhite = " \t\n";
  std::vector<std::string_view> words;
  size_t at = 0;
  while ((at = text.find_first_not_of(kWhite, at)) != std::string_view::npos) {
    const size_t end = std::min(text.find_first_of(kWhite, at), text.size());
    words.push_back(text.substr(at, end - at));
    at = end;
  }
  return words;
}

std::string_view value_of(std::string_view text, std::string_view key) {
  std::string_view value;
  bool found = false;
  for_each_line(text, [&](std::string_view line) {
    if (found || line.size() <= key.size() || !line.starts_with(key) || line[key.size()] != ':') return;
    found = true;
    line.remove_prefix(key.size() + 1);
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    value = line;
  });
  return value;
}

std::vector<std::string> split_zero_ended(std::string_view text) {
  std::vector<std::string> strings;
  while (!text.empty()) {
    const size_t end = text.find('\0');
    strings.emplace_back(text.substr(0, end));
    text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
  }
  return strings;
}

}  // namespace atys::linux
