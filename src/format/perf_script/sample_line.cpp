// SPDX-License-Identifier: Apache-2.0
#include "format/perf_script/sample_line.h"

#include <algorithm>
#include <charconv>

namespace atys::format::perf_script {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_hex_digit(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

// Takes blanks and then one word off `text`; "" at the end.
std::string_view take_word(std::string_view& text) {
  size_t begin = 0;
  while (begin < text.size() && is_blank(text[begin])) ++begin;
  size_t end = begin;
  while (end < text.size() && !is_blank(text[end])) ++end;
  const std::string_view word = text.substr(begin, end - begin);
  text.remove_prefix(end);
  return word;
}

std::string_view peek_word(std::string_view text) { return take_word(text); }

// A whole number that is all of `text`.
std::optional<int64_t> parse_number(std::string_view text) {
  int64_t number = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || error != std::errc{} || stop != text.data() + text.size()) return std::nullopt;
  return number;
}

// "1234.567890:" in nanoseconds.
std::optional<int64_t> parse_time(std::string_view word) {
  constexpr size_t kMaxSecondDigits = 9;  // 31 years of uptime; keeps the product below 2^63
  if (!word.ends_with(':')) return std::nullopt;
  word.remove_suffix(1);
  const size_t dot = word.find('.');
  if (dot == std::string_view::npos || dot == 0 || dot > kMaxSecondDigits) return std::nullopt;
  const std::string_view fraction = word.substr(dot + 1);
  if (fraction.empty() || fraction.size() > 9 || !std::ranges::all_of(fraction, is_digit)) return std::nullopt;
  const auto seconds = parse_number(word.substr(0, dot));
  auto nanoseconds = parse_number(fraction);
  if (!seconds || *seconds < 0 || !nanoseconds) return std::nullopt;
  for (size_t digits = fraction.size(); digits < 9; ++digits) *nanoseconds *= 10;
  return *seconds * 1'000'000'000 + *nanoseconds;
}

// "1234" is a thread, "1234/1235" a process and a thread; either may be -1.
bool parse_ids(std::string_view word, HeaderLine& header) {
  if (word.empty() || (!is_digit(word[0]) && word[0] != '-')) return false;
  const size_t slash = word.find('/');
  const auto first = parse_number(word.substr(0, slash));
  if (!first || *first < -1) return false;
  header.pid = header.tid = -1;
  if (slash == std::string_view::npos) {
    header.tid = *first;
    return true;
  }
  const auto second = parse_number(word.substr(slash + 1));
  if (!second || *second < -1) return false;
  header.pid = *first;
  header.tid = *second;
  return true;
}

bool is_cpu(std::string_view word) {
  return word.size() > 2 && word.front() == '[' && word.back() == ']' &&
         std::ranges::all_of(word.substr(1, word.size() - 2), is_digit);
}

// What follows the ids. False if it is none of the things that can, so that the "ids" were part of the comm.
bool parse_after_ids(std::string_view text, HeaderLine& header) {
  if (is_cpu(peek_word(text))) take_word(text);
  header.time_ns = parse_time(peek_word(text));
  if (header.time_ns) take_word(text);
  header.period = parse_number(peek_word(text));
  if (header.period) take_word(text);
  header.event = take_word(text);
  if (!header.event.empty()) {
    if (!header.event.ends_with(':') || header.event.size() == 1) return false;
    header.event.remove_suffix(1);
  }
  header.rest = trim(text);
  return !header.event.empty() || !header.period;
}

// The position of the parenthesis that the last one closes; npos if the text does not end in one or none fits.
size_t opening_of_last_group(std::string_view text) {
  if (!text.ends_with(')')) return std::string_view::npos;
  size_t depth = 0;
  for (size_t i = text.size(); i-- > 0;) {
    if (text[i] == ')') ++depth;
    if (text[i] == '(' && --depth == 0) return i;
  }
  return std::string_view::npos;
}

// Without "+0x1f" at the end.
std::string_view without_offset(std::string_view text) {
  size_t begin = text.size();
  while (begin > 0 && is_hex_digit(text[begin - 1])) --begin;
  const bool has_offset = begin < text.size() && begin > 3 && text.substr(begin - 3, 3) == "+0x";
  return has_offset ? text.substr(0, begin - 3) : text;
}

}  // namespace

std::string_view trim(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

std::optional<HeaderLine> parse_header(std::string_view line) {
  // Commands have any characters in their names, but few: the kernel keeps 15.
  constexpr int kMaxCommWords = 16;
  HeaderLine header;
  std::string_view rest = line;
  for (int words = 0; words <= kMaxCommWords; ++words) {
    const std::string_view word = take_word(rest);
    if (word.empty()) return std::nullopt;
    if (parse_ids(word, header) && parse_after_ids(rest, header)) {
      header.comm = trim(line.substr(0, static_cast<size_t>(word.data() - line.data())));
      return header;
    }
  }
  return std::nullopt;
}

std::optional<FrameLine> parse_frame(std::string_view line) {
  FrameLine frame;
  const char* end = line.data() + line.size();
  const auto [stop, error] = std::from_chars(line.data(), end, frame.address, 16);
  if (error != std::errc{} || (stop != end && !is_blank(*stop))) return std::nullopt;
  std::string_view text = trim(line.substr(static_cast<size_t>(stop - line.data())));
  const size_t open = opening_of_last_group(text);
  if (open != std::string_view::npos && (open == 0 || text[open - 1] == ' ')) {
    frame.module = without_offset(text.substr(open + 1, text.size() - open - 2));
    text = trim(text.substr(0, open));
  }
  frame.symbol = without_offset(text);
  if (frame.module == "[unknown]") frame.module = {};
  return frame;
}

std::optional<SourceLine> parse_source_line(std::string_view line) {
  const size_t colon = line.rfind(':');
  if (colon == std::string_view::npos || colon == 0) return std::nullopt;
  const auto number = parse_number(line.substr(colon + 1));
  if (!number || *number < 0 || line.find('\t') != std::string_view::npos) return std::nullopt;
  return SourceLine{line.substr(0, colon), *number};
}

}  // namespace atys::format::perf_script
