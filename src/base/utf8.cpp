// SPDX-License-Identifier: Apache-2.0
#include "base/utf8.h"

#include <algorithm>

namespace atys {

namespace {

constexpr std::string_view kEscapePrefix = "\xf4\x8f\xbc";  // U+10FF00..3F; the range goes on to \xf4\x8f\xbf

bool is_continuation(unsigned char byte) { return (byte & 0xc0) == 0x80; }

// Length of the valid sequence that `text` starts with; 0: none. Refuses overlong forms, surrogates, values past U+10FFFF.
size_t sequence_length(std::string_view text) {
  const auto at = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = at(0);
  if (lead < 0x80) return 1;
  const size_t length = lead >= 0xc2 && lead < 0xe0 ? 2 : (lead & 0xf0) == 0xe0 ? 3 : lead >= 0xf0 && lead < 0xf5 ? 4 : 0;
  if (length == 0 || text.size() < length) return 0;
  for (size_t i = 1; i < length; ++i) {
    if (!is_continuation(at(i))) return 0;
  }
  const bool overlong = (lead == 0xe0 && at(1) < 0xa0) || (lead == 0xf0 && at(1) < 0x90);
  const bool surrogate = lead == 0xed && at(1) >= 0xa0;
  const bool too_large = lead == 0xf4 && at(1) >= 0x90;
  return overlong || surrogate || too_large ? 0 : length;
}

// U+10FF00..U+10FFFF are f4 8f bc 80 .. f4 8f bf bf.
bool is_escape(std::string_view sequence) {
  return sequence.size() == 4 && sequence.substr(0, 2) == kEscapePrefix.substr(0, 2) &&
         static_cast<unsigned char>(sequence[2]) >= 0xbc;
}

void append_escaped(std::string& out, unsigned char byte) {
  out.append(kEscapePrefix.substr(0, 2));
  out.push_back(static_cast<char>(0xbc + (byte >> 6)));
  out.push_back(static_cast<char>(0x80 | (byte & 0x3f)));
}

bool is_ascii(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

}  // namespace

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const size_t length = sequence_length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

std::string to_utf8(std::string_view bytes) {
  if (is_ascii(bytes)) return std::string(bytes);
  std::string out;
  out.reserve(bytes.size());
  while (!bytes.empty()) {
    const size_t length = sequence_length(bytes);
    const std::string_view sequence = bytes.substr(0, std::max<size_t>(length, 1));
    if (length != 0 && !is_escape(sequence)) {
      out.append(sequence);
    } else {
      for (const char byte : sequence) append_escaped(out, static_cast<unsigned char>(byte));
    }
    bytes.remove_prefix(sequence.size());
  }
  return out;
}

std::string from_utf8(std::string_view text) {
  if (text.find(kEscapePrefix.substr(0, 2)) == std::string_view::npos) return std::string(text);
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const std::string_view sequence = text.substr(0, std::max<size_t>(sequence_length(text), 1));
    if (is_escape(sequence)) {
      out.push_back(static_cast<char>((static_cast<unsigned char>(sequence[2]) - 0xbc) << 6 | (sequence[3] & 0x3f)));
    } else {
      out.append(sequence);
    }
    text.remove_prefix(sequence.size());
  }
  return out;
}

CodePoint first_code_point(std::string_view text) {
  if (text.empty()) return {};
  const size_t length = sequence_length(text);
  if (length == 0) return {};
  static constexpr unsigned char kLeadMask[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
  uint32_t value = static_cast<unsigned char>(text[0]) & kLeadMask[length];
  for (size_t i = 1; i < length; ++i) value = value << 6 | (static_cast<unsigned char>(text[i]) & 0x3fu);
  return {value, length};
}

bool is_unseen(uint32_t code_point) {
  struct Range {
    uint32_t first, last;
  };
  static constexpr Range kUnseen[] = {
      {0xad, 0xad},       {0x34f, 0x34f},     {0x61c, 0x61c},      {0x115f, 0x1160}, {0x17b4, 0x17b5}, {0x180b, 0x180f},
      {0x200b, 0x200f},   {0x2028, 0x202e},   {0x2060, 0x206f},    {0x3164, 0x3164}, {0xe000, 0xf8ff}, {0xfdd0, 0xfdef},
      {0xfe00, 0xfe0f},   {0xfeff, 0xfeff},   {0xffa0, 0xffa0},    {0xfff0, 0xfffb}, {0xfffe, 0xffff}, {0x1bca0, 0x1bca3},
      {0x1d173, 0x1d17a}, {0xe0000, 0xe0fff}, {0xf0000, 0x10ffff},
  };
  if ((code_point & 0xfffe) == 0xfffe) return true;
  return std::ranges::any_of(kUnseen, [&](const Range& r) { return r.first <= code_point && code_point <= r.last; });
}

std::string printable(std::string_view bytes) {
  static constexpr std::string_view kReplacement = "\xef\xbf\xbd";
  std::string out;
  out.reserve(bytes.size());
  while (!bytes.empty()) {
    const CodePoint next = first_code_point(bytes);
    const bool is_control = next.value < 0x20 || (next.value >= 0x7f && next.value < 0xa0);
    if (next.length == 0 || (next.value >= 0x80 && !is_control && is_unseen(next.value))) {
      out.append(kReplacement);
    } else if (is_control) {
      out.push_back(' ');
    } else {
      out.append(bytes.substr(0, next.length));
    }
    bytes.remove_prefix(std::max<size_t>(next.length, 1));
  }
  return out;
}

}  // namespace atys
