// SPDX-License-Identifier: Apache-2.0
#include "format/perf_script/sample_line.h"

#include <algorithm>
#include <charconv>

#include "base/hex.h"

namespace atys::format::perf_script {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

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

// "U", "KH": in which mode the processor was, printed with -F +misc.
bool is_mode(std::string_view word) {
  return !word.empty() && word.size() <= 4 &&
         std::ranges::all_of(word, [](char c) { return (c >= 'A' && c <= 'Z') || c == 'g'; });
}

// perf pads a period to ten columns, and ids to less: "ov 20678    2004008".
constexpr size_t kColumnsOfPeriod = 10;

bool is_padded_number(std::string_view text, size_t columns) {
  const std::string_view word = peek_word(text);
  return parse_number(word).has_value() && static_cast<size_t>(word.data() + word.size() - text.data()) >= columns;
}

bool is_only_a_period(std::string_view line) {
  return is_padded_number(line, kColumnsOfPeriod) && trim(line) == peek_word(line);
}

// What follows the ids: all of it may be missing. False if it is none of the things that can.
bool parse_fields(std::string_view text, HeaderLine& header) {
  header.time_ns = header.period = std::nullopt;
  header.event = header.rest = {};
  if (is_cpu(peek_word(text))) take_word(text);
  if (is_mode(peek_word(text))) take_word(text);
  header.time_ns = parse_time(peek_word(text));
  if (header.time_ns) take_word(text);
  const std::string_view after_time = text;
  const bool is_period_without_event = header.time_ns || is_padded_number(text, kColumnsOfPeriod + 1);
  header.period = parse_number(peek_word(text));
  if (header.period) take_word(text);
  if (const std::string_view event = peek_word(text); event.ends_with(':') && event.size() > 1) {
    take_word(text);
    header.event = event.substr(0, event.size() - 1);
    header.rest = trim(text);
    return true;
  }
  if (trim(text).empty()) return !header.period || is_period_without_event;
  // No event, so what looked like a period may be the address of a frame.
  header.period = std::nullopt;
  header.rest = trim(after_time);
  return parse_only_frame(header.rest).has_value();
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

namespace {

// The first place in the line from which on `parse` understands it; what is before that is the command. Commands have any
// characters in their names, but few: the kernel keeps 15.
template <typename Parse>
std::optional<HeaderLine> parse_after_command(std::string_view line, const Parse& parse) {
  constexpr int kMaxCommWords = 16;
  HeaderLine header;
  std::string_view rest = line;
  for (int words = 0; words <= kMaxCommWords; ++words) {
    const std::string_view before = rest;
    const std::string_view word = take_word(rest);
    if (word.empty()) return std::nullopt;
    if (!parse(before, word, rest, header)) continue;
    header.comm = trim(line.substr(0, static_cast<size_t>(word.data() - line.data())));
    return header;
  }
  return std::nullopt;
}

}  // namespace

std::optional<HeaderLine> parse_header(std::string_view line) {
  if (is_only_a_period(line)) return std::nullopt;
  return parse_after_command(line, [](std::string_view, std::string_view word, std::string_view rest, HeaderLine& header) {
    return parse_ids(word, header) && parse_fields(rest, header);
  });
}

std::optional<HeaderLine> parse_header_without_ids(std::string_view line) {
  if (is_only_a_period(line)) return HeaderLine{.period = parse_number(trim(line))};
  return parse_after_command(line, [](std::string_view from, std::string_view, std::string_view, HeaderLine& header) {
    return parse_fields(from, header) && (header.time_ns || !header.event.empty());
  });
}

std::optional<FrameLine> parse_only_frame(std::string_view text) {
  constexpr size_t kFewestDigits = 4;  // of an address that nothing but a symbol follows; others are words
  const auto frame = parse_frame(text);
  if (!frame || frame->symbol.empty()) return std::nullopt;
  return !frame->module.empty() || peek_word(text).size() >= kFewestDigits ? frame : std::nullopt;
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
  frame.has_offset = frame.symbol.size() != text.size();
  if (frame.module == "[unknown]") frame.module = {};
  return frame;
}

std::optional<SourceLine> parse_source_line(std::string_view line) {
  // "[kernel.kallsyms][ffffffff81000e06]": no line is known there.
  if (const size_t open = line.rfind('['); open != std::string_view::npos && open > 0 && line.ends_with(']')) {
    const std::string_view address = line.substr(open + 1, line.size() - open - 2);
    if (!address.empty() && is_hex(address)) return SourceLine{};
  }
  const size_t colon = line.rfind(':');
  if (colon == std::string_view::npos || colon == 0) return std::nullopt;
  const auto number = parse_number(line.substr(colon + 1));
  if (!number || *number < 0 || line.find('\t') != std::string_view::npos) return std::nullopt;
  return SourceLine{line.substr(0, colon), *number};
}

}  // namespace atys::format::perf_script
