// SPDX-License-Identifier: Apache-2.0
#include "capture/walking/code_cookie.h"

#include <algorithm>
#include <array>

#include "capture/walking/pieces_ahead.h"

namespace atys::capture {

namespace {

constexpr size_t kLikelyText = 120;  // bytes; the end of a longer one is read by itself

uint64_t mix_text(linux::MemoryReader& memory, const atys_cookie_text& text, uint64_t object, uint64_t hash) {
  std::array<uint64_t, ATYS_TEXT_WORDS> words{};
  const auto length = object == 0 ? std::nullopt : memory.value_at<uint64_t>(object + text.length_at);
  if (!length) return atys_mix(hash, ATYS_NO_TEXT);
  const uint64_t bytes = std::min<uint64_t>(*length, sizeof(words));
  const auto end = std::as_writable_bytes(std::span(words)).first(bytes);
  if (bytes > 0 && !memory.read_all(object + text.text_at + *length - bytes, end)) return atys_mix(hash, ATYS_NO_TEXT);
  hash = atys_mix(hash, *length);
  for (const uint64_t word : words) hash = atys_mix(hash, word);
  return hash;
}

// 0: they cannot be read.
uint64_t mix_words(linux::MemoryReader& memory, const atys_cookie& cookie, uint64_t code) {
  std::array<uint64_t, ATYS_COOKIE_WORDS> words{};
  if (code == 0 || cookie.words == 0 || cookie.words > words.size()) return 0;
  if (!memory.read_all(code + cookie.at, std::as_writable_bytes(std::span(words).first(cookie.words)))) return 0;
  uint64_t hash = ATYS_COOKIE_SEED;
  for (const uint64_t word : words) hash = atys_mix(hash, word);
  return hash;
}

// The part of a code object that its cookie is made of.
PiecesAhead::Range range_of(const atys_cookie& cookie, uint64_t code) {
  uint64_t from = cookie.short_kind < ATYS_NO_KIND ? 0 : cookie.at;
  uint64_t to = cookie.at + cookie.words * sizeof(uint64_t);
  for (const atys_cookie_text& text : cookie.texts) {
    if (text.pointer == 0) continue;
    from = std::min<uint64_t>(from, text.pointer);
    to = std::max<uint64_t>(to, text.pointer + sizeof(uint64_t));
  }
  return {code + from, to - from};
}

}  // namespace

std::optional<atys_lasting> read_lasting(linux::MemoryReader& memory, const atys_cookie& cookie, const atys_walked& walked) {
  const uint64_t code = code_of(walked);
  const uint64_t words = mix_words(memory, cookie, code);
  if (words == 0 || read_cookie(memory, cookie, code) != walked.cookie || mix_words(memory, cookie, code) != words)
    return std::nullopt;
  return atys_lasting{.code = code, .words = words, .cookie = walked.cookie};
}

uint64_t read_cookie(linux::MemoryReader& memory, const atys_cookie& cookie, uint64_t code) {
  uint8_t kind = 0;
  uint64_t hash = mix_words(memory, cookie, code);
  if (hash == 0) return 0;
  if (cookie.short_kind < ATYS_NO_KIND && !memory.read_all(code, std::as_writable_bytes(std::span(&kind, 1)))) return 0;
  for (size_t i = 0; i < ATYS_COOKIE_TEXTS; ++i) {
    const atys_cookie_text& text = cookie.texts[i];
    if (text.pointer == 0 || (i > 0 && cookie.short_kind == kind)) break;
    const auto object = memory.value_at<uint64_t>(code + text.pointer);
    if (!object) return 0;
    hash = mix_text(memory, text, *object, hash);
  }
  return hash | 1;
}

void read_cookies(linux::MemoryReader& memory, const atys_cookie& cookie, std::span<atys_walked> walk) {
  if (cookie.words == 0) return;
  std::vector<uint64_t> codes;
  for (const atys_walked& walked : walk)
    if (const uint64_t code = code_of(walked); code != 0) codes.push_back(code);
  std::ranges::sort(codes);
  codes.erase(std::unique(codes.begin(), codes.end()), codes.end());
  std::vector<PiecesAhead::Range> objects;
  for (const uint64_t code : codes) objects.push_back(range_of(cookie, code));
  PiecesAhead with_objects(memory, objects);
  std::vector<PiecesAhead::Range> texts;
  for (const uint64_t code : codes)
    for (const atys_cookie_text& text : cookie.texts) {
      const auto object = text.pointer == 0 ? std::nullopt : with_objects.value_at<uint64_t>(code + text.pointer);
      if (object && *object != 0) texts.push_back({*object + text.length_at, text.text_at - text.length_at + kLikelyText});
    }
  PiecesAhead with_texts(with_objects, texts);
  for (atys_walked& walked : walk) walked.cookie = read_cookie(with_texts, cookie, code_of(walked));
}

}  // namespace atys::capture
