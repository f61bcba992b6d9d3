// SPDX-License-Identifier: Apache-2.0
#include "budget/token_meter.h"

#include <algorithm>
#include <cstdint>
#include <iterator>

#include "base/utf8.h"
#include "budget/token_costs.h"

namespace atys::budget {

namespace {

enum class Class { Begin, Space, Newline, Letter, Digit, Punctuation, Other };

Class class_of(char c) {
  if (c == ' ') return Class::Space;
  if (c == '\n') return Class::Newline;
  if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')) return Class::Letter;
  if (c >= '0' && c <= '9') return Class::Digit;
  return static_cast<unsigned char>(c) < 0x80 ? Class::Punctuation : Class::Other;
}

bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
size_t letter(char c) { return static_cast<size_t>((c | 0x20) - 'a'); }

// Some tokenizers first take characters apart (NFKC), so that one may become many.
struct Expansion {
  uint32_t first, last;
  uint32_t tokens;
};
constexpr Expansion kExpansions[] = {
    {0xfdfa, 0xfdfb, 36}, {0xfdf0, 0xfdfd, 18},   {0xfb00, 0xfdff, 9},   {0xfe70, 0xfeff, 9},   {0x3200, 0x33ff, 15},
    {0xf900, 0xfaff, 6},  {0x149, 0x149, 4},      {0x1c4, 0x1cc, 4},     {0x1f1, 0x1f3, 4},     {0x340, 0x344, 6},
    {0x37a, 0x385, 6},    {0x587, 0x587, 6},      {0x675, 0x678, 6},     {0x958, 0x95f, 6},     {0x9dc, 0x9df, 6},
    {0xa33, 0xa36, 6},    {0xa59, 0xa5e, 6},      {0xb5c, 0xb5d, 6},     {0xe33, 0xe33, 6},     {0xeb3, 0xeb3, 6},
    {0xedc, 0xedd, 6},    {0xf43, 0xfb9, 9},      {0x1e9a, 0x1e9b, 6},   {0x1f80, 0x1fff, 9},   {0x2000, 0x2025, 6},
    {0x2027, 0x2bff, 8},  {0x1d15e, 0x1d1c0, 12}, {0x1d400, 0x1d7ff, 4}, {0x1f100, 0x1f2ff, 9}, {0x2f800, 0x2fa1f, 6},
};

// In hundredths of a token: a byte is never more than one.
uint64_t cost_of_other(uint32_t code_point, size_t bytes) {
  if (code_point == 0x2026) return 150;  // "…", in our own shortened names
  const auto found =
      std::ranges::find_if(kExpansions, [&](const Expansion& e) { return e.first <= code_point && code_point <= e.last; });
  return 100 * std::max<uint64_t>(bytes, found == std::end(kExpansions) ? 0 : found->tokens);
}

uint64_t cost_of_spaces(size_t count, Class next) {
  const auto after = next == Class::Letter ? 0 : next == Class::Digit ? 1 : next == Class::Punctuation ? 2 : 3;
  if (count == 1) return kOneSpace[after];
  return kSpaces[after] + count * kEachSpace;
}

uint64_t cost_of_letter(char c, char before, Class class_before) {
  if (class_before == Class::Letter) {
    if (is_upper(c) && !is_upper(before)) return kHump[letter(c)];
    return kPair[letter(before)][letter(c)] + (is_upper(c) ? kUpper : 0);
  }
  const bool begins_word = class_before == Class::Space || class_before == Class::Begin;
  return (begins_word ? kAfterSpace : kAfterOther)[letter(c)] + (is_upper(c) ? kUpperFirst : 0);
}

// Costs hold for a word that is there three times; the more often it repeats the less the others make up for it. Counters
// may be shared by words, which only makes the bound higher.
class Repetitions {
 public:
  uint64_t cost_of(std::string_view word) {
    uint32_t hash = 2166136261;
    for (const char c : word) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619;
    uint8_t& seen = seen_[(hash ^ hash >> 16) % std::size(seen_)];
    if (seen == kFree) return kRepeated;
    ++seen;
    return 0;
  }

 private:
  static constexpr uint8_t kFree = 3;
  static constexpr uint64_t kRepeated = 80;
  uint8_t seen_[4096] = {};
};

size_t letters_at(std::string_view text, size_t begin) {
  size_t end = begin;
  while (end < text.size() && class_of(text[end]) == Class::Letter) ++end;
  return end - begin;
}

}  // namespace

size_t count_upper_bound(std::string_view text) {
  if (text.empty()) return 0;
  uint64_t hundredths = 100;  // some begin each text with a token of their own
  Class before = Class::Begin;
  Repetitions repetitions;
  for (size_t i = 0; i < text.size();) {
    const Class now = class_of(text[i]);
    size_t length = 1;
    switch (now) {
      case Class::Begin: break;
      case Class::Space:
        length = std::min(text.find_first_not_of(' ', i), text.size()) - i;
        hundredths += cost_of_spaces(length, i + length < text.size() ? class_of(text[i + length]) : Class::Other);
        break;
      case Class::Newline: hundredths += kNewline; break;
      case Class::Letter:
        if (before != Class::Letter) hundredths += repetitions.cost_of(text.substr(i, letters_at(text, i)));
        hundredths += cost_of_letter(text[i], i > 0 ? text[i - 1] : ' ', before);
        break;
      case Class::Digit: hundredths += 100; break;
      case Class::Punctuation: hundredths += text[i] == '_' ? kUnderscore : text[i] == '.' ? kDot : 100; break;
      case Class::Other: {
        const CodePoint character = first_code_point(text.substr(i));
        length = std::max<size_t>(character.length, 1);
        hundredths += cost_of_other(character.value, character.length == 0 ? 3 : length);
        break;
      }
    }
    before = now;
    i += length;
  }
  return static_cast<size_t>((hundredths + hundredths * kMargin / 100 + 99) / 100);
}

}  // namespace atys::budget
