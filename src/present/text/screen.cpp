// SPDX-License-Identifier: Apache-2.0
#include "present/text/screen.h"

#include <algorithm>
#include <iterator>

#include "base/utf8.h"

namespace atys::present::text {

namespace {

Screen& the_screen() {
  static Screen screen;
  return screen;
}

struct Range {
  uint32_t first, last;
};

// East Asian wide characters and pictures, by blocks: what is not assigned there does not come up.
constexpr Range kWide[] = {
    {0x1100, 0x115f},   {0x2e80, 0x303e},   {0x3041, 0x33ff},   {0x3400, 0x4dbf},   {0x4e00, 0x9fff},   {0xa000, 0xa4cf},
    {0xa960, 0xa97c},   {0xac00, 0xd7a3},   {0xf900, 0xfaff},   {0xfe30, 0xfe6f},   {0xff00, 0xff60},   {0xffe0, 0xffe6},
    {0x17000, 0x18cff}, {0x1b000, 0x1b2ff}, {0x1f300, 0x1f64f}, {0x1f680, 0x1f6ff}, {0x1f900, 0x1faff}, {0x20000, 0x3fffd}};
constexpr Range kCombining[] = {{0x0300, 0x036f}, {0x0483, 0x0489}, {0x0591, 0x05bd}, {0x0610, 0x061a}, {0x064b, 0x065f},
                                {0x1ab0, 0x1aff}, {0x1dc0, 0x1dff}, {0x20d0, 0x20ff}, {0xfe20, 0xfe2f}};

template <size_t N>
bool is_in(uint32_t value, const Range (&ranges)[N]) {
  return std::any_of(std::begin(ranges), std::end(ranges),
                     [&](const Range& range) { return value >= range.first && value <= range.last; });
}

size_t width_of(uint32_t code_point) {
  if (code_point < 0x300) return 1;
  if (is_in(code_point, kCombining)) return 0;
  return is_in(code_point, kWide) ? 2 : 1;
}

// The character at the beginning: how many bytes, and how many cells. A byte that belongs to none counts as one.
std::pair<size_t, size_t> first_character(std::string_view text) {
  const CodePoint found = first_code_point(text);
  if (found.length == 0) return {1, 1};
  return {found.length, width_of(found.value)};
}

}  // namespace

void use_screen(const Screen& screen) { the_screen() = screen; }
const Screen& screen() { return the_screen(); }

std::string toned(std::string_view text, Tone tone) {
  static constexpr std::string_view kCodes[] = {"", "\033[1m", "\033[2m", "\033[32m", "\033[33m", "\033[31m"};
  if (!screen().has_color || tone == Tone::Plain || text.empty()) return std::string(text);
  return std::string(kCodes[static_cast<size_t>(tone)]).append(text).append("\033[0m");
}

size_t screen_width(std::string_view text) {
  size_t width = 0;
  while (!text.empty()) {
    const auto [bytes, cells] = first_character(text);
    width += cells;
    text.remove_prefix(bytes);
  }
  return width;
}

std::string_view cut_to_width(std::string_view text, size_t columns) {
  size_t at = 0;
  for (size_t width = 0; at < text.size();) {
    const auto [bytes, cells] = first_character(text.substr(at));
    if (width + cells > columns) break;
    width += cells;
    at += bytes;
  }
  return text.substr(0, at);
}

std::string on_screen(std::string figures, const std::function<std::string(size_t columns)>& text_in) {
  static constexpr size_t kLittle = 24;
  if (screen().columns == 0) return figures + text_in(SIZE_MAX) + "\n";
  if (screen_width(figures) + kLittle > screen().columns) {
    const auto is_second_blank = [](char a, char b) { return a == ' ' && b == ' '; };
    figures.erase(std::unique(figures.begin(), figures.end(), is_second_blank), figures.end());
    if (figures.starts_with(' ')) figures.erase(0, 1);
  }
  const size_t used = std::min(screen_width(figures), screen().columns);
  return std::string(cut_to_width(figures + text_in(screen().columns - used), screen().columns)) + "\n";
}

std::string wrapped(std::string_view text, size_t indent, size_t columns) {
  std::string out;
  size_t used = 0;
  while (!text.empty()) {
    const size_t start = std::min(text.find_first_not_of(" \n"), text.size());
    text.remove_prefix(start);
    const std::string_view word = text.substr(0, text.find_first_of(" \n"));
    if (word.empty()) break;
    text.remove_prefix(word.size());
    const size_t width = screen_width(word);
    if (used > 0 && used + 1 + width > columns) {
      out += "\n";
      used = 0;
    }
    out += used == 0 ? std::string(indent, ' ') : " ";
    used = (used == 0 ? indent : used + 1) + width;
    out += word;
  }
  return out.empty() ? out : out + "\n";
}

}  // namespace atys::present::text
