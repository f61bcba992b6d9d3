// SPDX-License-Identifier: Apache-2.0
#include "format/perf_script/text_layout.h"

#include <algorithm>
#include <vector>

namespace atys::format::perf_script {

namespace {

constexpr size_t kMostLines = 1000;

std::string_view next_line(std::string_view& text) {
  const size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

bool is_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

// "babe 12" is a stack of one function and its count, which may be below zero.
bool ends_with_count(std::string_view text) {
  std::string_view last = text.substr(text.rfind(' ') + 1);
  if (last.starts_with('-')) last.remove_prefix(1);
  return is_number(last);
}

// An address and a name, as in many lines that are not perf's.
bool is_plausible_frame(std::string_view text) {
  constexpr size_t kFewestDigits = 3;
  const auto frame = parse_frame(text);
  if (!frame || frame->symbol.empty() || text.find(' ') < kFewestDigits) return false;
  return !ends_with_count(frame->symbol) && !is_certain_header(text);
}

// Whether other text than perf's would hardly look so: words and numbers do, modules and offsets do not.
bool is_certain_frame(std::string_view line, std::string_view above) {
  constexpr size_t kLeastIndent = 4;
  const std::string_view text = trim(line);
  const auto frame = parse_frame(text);
  if (!frame || is_certain_header(text) || ends_with_count(text)) return false;
  const std::string_view module = frame->module;
  // A collapsed stack; the line may be cut before its count.
  if (module.empty() && frame->symbol.find(';') != std::string_view::npos) return false;
  if (module.starts_with('/') || module.starts_with('[') || module == "inlined" || frame->has_offset) return true;
  const bool is_indented = line.starts_with('\t') || line.find_first_not_of(' ') >= kLeastIndent;
  if (!is_plausible_frame(text)) return false;
  const auto header = parse_header_without_ids(above);
  return (is_indented && !parse_header(text)) || is_certain_header(above) || (header && header->time_ns);
}

TextLayout::Headers headers_like(std::string_view line) {
  if (parse_header(line)) return TextLayout::Headers::WithIds;
  return parse_header_without_ids(line) ? TextLayout::Headers::WithFields : TextLayout::Headers::Names;
}

struct HeadLine {
  std::string_view whole;
  bool is_first = false;  // of its sample: an empty line is above it
};

std::vector<HeadLine> first_lines(std::string_view head) {
  std::vector<HeadLine> lines;
  bool is_first = true;
  while (!head.empty() && lines.size() < kMostLines) {
    const std::string_view line = next_line(head);
    if (line.starts_with('#')) continue;
    if (!trim(line).empty()) lines.push_back({line, is_first});
    is_first = trim(line).empty();
  }
  return lines;
}

// Samples without call chains are one line each. Without an event and a time, several have to look so.
bool are_whole_samples(const std::vector<HeadLine>& lines) {
  constexpr size_t kEnough = 3;
  const auto first = lines.empty() ? std::nullopt : parse_header(lines.front().whole);
  if (!first) return false;
  if (!first->event.empty() && (first->time_ns || first->period)) return true;
  if (first->rest.ends_with(')') && parse_only_frame(first->rest)) return true;
  return lines.size() >= kEnough && std::all_of(lines.begin(), lines.end() - 1, [](const HeadLine& line) {
           const auto header = parse_header(line.whole);
           return header && parse_only_frame(header->rest);
         });
}

// Text that lost its blanks and never had modules: every line is a frame, but for the first of each sample.
std::optional<TextLayout> plain_layout(const std::vector<HeadLine>& lines) {
  constexpr size_t kEnough = 3;
  size_t frames = 0;
  std::string_view header;
  for (const HeadLine& line : lines) {
    if (is_plausible_frame(trim(line.whole)))
      ++frames;
    else if (line.is_first && trim(line.whole).find(' ') == std::string_view::npos)
      header = line.whole;
    else
      return std::nullopt;
  }
  if (frames < kEnough) return std::nullopt;
  return TextLayout{header.empty() ? TextLayout::Headers::None : headers_like(header), false};
}

}  // namespace

std::optional<HeaderLine> TextLayout::header(std::string_view line) const {
  switch (headers) {
    case Headers::WithIds: return parse_header(line);
    case Headers::WithFields: return parse_header_without_ids(line);
    case Headers::Names: return HeaderLine{.comm = trim(line)};
    case Headers::None: return std::nullopt;
  }
  return std::nullopt;
}

bool is_certain_header(std::string_view line) {
  const auto header = parse_header(line);
  return header && (header->time_ns || !header->event.empty());
}

std::optional<TextLayout> find_layout(std::string_view head) {
  const std::vector<HeadLine> lines = first_lines(head);
  for (size_t i = 0; i < lines.size(); ++i) {
    const std::string_view above = i > 0 && !lines[i].is_first ? lines[i - 1].whole : std::string_view();
    if (!is_certain_frame(lines[i].whole, above)) continue;
    return TextLayout{above.empty() ? TextLayout::Headers::None : headers_like(above), is_blank(lines[i].whole.front())};
  }
  if (are_whole_samples(lines)) return TextLayout{};
  return plain_layout(lines);
}

}  // namespace atys::format::perf_script
