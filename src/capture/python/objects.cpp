// SPDX-License-Identifier: Apache-2.0
#include "capture/python/objects.h"

#include <algorithm>
#include <cstring>

namespace atys::capture::python {

namespace {

void append_utf8(uint32_t point, std::string& text) {
  constexpr uint32_t kReplacement = 0xfffd;
  if (point > 0x10ffff || (point >= 0xd800 && point < 0xe000)) point = kReplacement;
  if (point < 0x80) {
    text += static_cast<char>(point);
  } else if (point < 0x800) {
    text += static_cast<char>(0xc0 | point >> 6);
    text += static_cast<char>(0x80 | (point & 0x3f));
  } else if (point < 0x10000) {
    text += static_cast<char>(0xe0 | point >> 12);
    text += static_cast<char>(0x80 | (point >> 6 & 0x3f));
    text += static_cast<char>(0x80 | (point & 0x3f));
  } else {
    text += static_cast<char>(0xf0 | point >> 18);
    text += static_cast<char>(0x80 | (point >> 12 & 0x3f));
    text += static_cast<char>(0x80 | (point >> 6 & 0x3f));
    text += static_cast<char>(0x80 | (point & 0x3f));
  }
}

std::string to_utf8(const std::string& characters, size_t width) {
  std::string text;
  for (size_t at = 0; at + width <= characters.size(); at += width) {
    uint32_t point = 0;
    std::memcpy(&point, &characters[at], width);  // little endian on both architectures
    append_utf8(point, text);
  }
  return text;
}

}  // namespace

std::optional<std::string> read_text(linux::MemoryReader& memory, const Layout& layout, uint64_t object) {
  if (object == 0) return std::nullopt;
  const auto length = memory.value_at<int64_t>(object + layout.text_length);
  const auto state = memory.value_at<uint32_t>(object + layout.text_state);
  if (!length || !state || *length < 0) return std::nullopt;
  const uint32_t bits = *state >> layout.text_kind_bit;
  const uint32_t kind = bits & 7;
  const bool is_compact = (bits & 8) != 0;
  const bool is_ascii = (bits & 16) != 0;
  if (!is_compact || (kind != 1 && kind != 2 && kind != 4) || (is_ascii && kind != 1)) return std::nullopt;
  const size_t count = std::min<size_t>(static_cast<size_t>(*length), kLongestText);
  const auto characters =
      memory.bytes_at(object + (is_ascii ? layout.text_ascii_data : layout.text_compact_data), count * kind);
  if (!characters) return std::nullopt;
  return to_utf8(*characters, kind);
}

std::optional<std::string> read_bytes(linux::MemoryReader& memory, const Layout& layout, uint64_t object) {
  if (object == 0) return std::nullopt;
  const auto size = memory.value_at<int64_t>(object + layout.bytes_size);
  if (!size || *size < 0 || static_cast<size_t>(*size) > kLongestBytes) return std::nullopt;
  return memory.bytes_at(object + layout.bytes_data, static_cast<size_t>(*size));
}

}  // namespace atys::capture::python
