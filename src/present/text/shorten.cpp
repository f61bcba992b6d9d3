// SPDX-License-Identifier: Apache-2.0
// Makes names fit a column. A name that is merely cut off at its end has lost the part that tells it from its neighbours.
#include <algorithm>
#include <cctype>
#include <vector>

#include "base/strings.h"
#include "present/text/screen.h"

namespace atys::present::text {

namespace {

constexpr std::string_view kGap = "…";
constexpr size_t kMostBytes = 1000;  // that are looked at closely: no screen is wider

bool is_inside_character(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || (c & 0x80) != 0; }

// The place behind the bracket that closes the one at `open`; npos: none does.
size_t behind_closing(std::string_view text, size_t open, char opening, char closing) {
  int depth = 0;
  for (size_t i = open; i < text.size(); ++i) {
    if (text[i] == opening) ++depth;
    if (text[i] == closing && --depth == 0) return i + 1;
  }
  return std::string_view::npos;
}

// "f(int, char)" to "f(…)", "v<int>::g" to "v<…>::g"; brackets that hold a part of the name stay: "(*T).f", "<T as
// Show>::f".
std::string without_inner(std::string_view text, char opening, char closing) {
  std::string result;
  for (size_t i = 0; i < text.size();) {
    const size_t end = text[i] == opening && i > 0 && (is_word(text[i - 1]) || text[i - 1] == '>')
                           ? behind_closing(text, i, opening, closing)
                           : std::string_view::npos;
    const bool is_part_of_name = opening == '(' && end < text.size() && (text[end] == ':' || text[end] == '.');
    if (end == std::string_view::npos || is_part_of_name || end - i <= 3) {
      result += text[i++];
      continue;
    }
    result.append(1, opening).append(kGap).append(1, closing);
    i = end;
  }
  return result;
}

// Where a part of a qualified name may begin: at "::", "." or "/" outside of brackets.
std::vector<size_t> part_starts(std::string_view text) {
  std::vector<size_t> starts;
  int depth = 0;
  for (size_t i = 1; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '(' || c == '<' || c == '[') ++depth;
    if ((c == ')' || c == '>' || c == ']') && depth > 0) --depth;
    if (depth > 0) continue;
    const char next = i + 1 < text.size() ? text[i + 1] : '\0';
    if (c == '/' || (c == ':' && next == ':')) starts.push_back(i);
    if (c == '.' && (is_word(next) || next == '(')) starts.push_back(i + 1);  // "….f" looks like four dots
  }
  return starts;
}

std::string last_cells(std::string_view text, size_t columns) {
  while (screen_width(text) > columns) {
    text.remove_prefix(1);
    while (!text.empty() && is_inside_character(text.front())) text.remove_prefix(1);
  }
  return std::string(text);
}

std::string cut_in_middle(std::string_view text, size_t columns) {
  if (columns <= 1) return std::string(cut_to_width(kGap, columns));
  const size_t tail = (columns - 1) / 3;
  return std::string(cut_to_width(text, columns - 1 - tail)).append(kGap).append(last_cells(text, tail));
}

// Of a text that is longer than any screen its beginning and its end.
std::string joined_ends(std::string_view text) {
  size_t head = kMostBytes / 2 - kGap.size();
  while (head > 0 && is_inside_character(text[head])) --head;
  size_t tail = text.size() - kMostBytes / 2;
  while (tail < text.size() && is_inside_character(text[tail])) ++tail;
  return std::string(text.substr(0, head)).append(kGap).append(text.substr(tail));
}

bool is_sentence(std::string_view text) {
  static constexpr int kManyWords = 4;
  int depth = 0;
  int blanks = 0;
  for (const char c : text) {
    if (c == '(' || c == '<' || c == '[') ++depth;
    if ((c == ')' || c == '>' || c == ']') && depth > 0) --depth;
    if (c == ' ' && depth == 0) ++blanks;
  }
  return blanks > kManyWords;
}

}  // namespace

std::string joined_path(const std::vector<std::string>& names, size_t columns) {
  static constexpr std::string_view kBetween = " > ";
  const std::string all = joined(names, kBetween);
  if (names.size() < 2 || columns == SIZE_MAX || screen_width(all) <= columns)
    return columns == SIZE_MAX ? all : shortened(all, columns);
  // The leaf is what it is about, the root what it is part of.
  std::string head = names.front() + std::string(kBetween) + std::string(kGap);
  std::string tail;
  for (size_t i = names.size() - 1; i > 0; --i) {
    const std::string longer = std::string(kBetween) + names[i] + tail;
    if (screen_width(head) + screen_width(longer) > columns) break;
    tail = longer;
  }
  return tail.empty() ? shortened(names.back(), columns) : head + tail;
}

std::string shortened(std::string_view text, size_t columns) {
  if (text.size() > kMostBytes) return shortened(joined_ends(text), columns);
  if (screen_width(text) <= columns) return std::string(text);
  if (is_sentence(text)) return columns == 0 ? std::string() : std::string(cut_to_width(text, columns - 1)).append(kGap);
  const bool is_operator = text.find("operator") != std::string_view::npos;
  std::string name = is_operator ? std::string(text) : without_inner(text, '(', ')');
  if (screen_width(name) > columns && !is_operator) name = without_inner(name, '<', '>');
  if (screen_width(name) <= columns) return name;
  for (const size_t start : part_starts(name)) {
    std::string rest = std::string(kGap) + name.substr(start);
    if (screen_width(rest) <= columns) return rest;
  }
  const std::vector<size_t> starts = part_starts(name);
  return cut_in_middle(starts.empty() ? name : std::string(kGap) + name.substr(starts.back()), columns);
}

}  // namespace atys::present::text
