// SPDX-License-Identifier: Apache-2.0
// Which system call an instruction made, read from the code before it. x86_64 only: elsewhere the number stays in its
// register. Wrappers of C libraries have it in their code,
//   mov $0x10e,%eax · mov 0x1c(%rsp),%edi · syscall
// with nothing but moves between. Pure.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace atys::preload {

class MoveDecoder {
 public:
  // The length of the instruction if it moves something to another place than %rax, else 0.
  static size_t length(const unsigned char* at) {
    size_t prefix = 0;
    unsigned char rex = 0;
    if ((at[0] & 0xf0) == 0x40) {
      rex = at[0];
      prefix = 1;
    }
    const unsigned char code = at[prefix];
    if ((code & 0xf8) == 0xb8) {  // a number
      const bool is_rax = (code & 7) == 0 && (rex & 1) == 0;
      return is_rax ? 0 : prefix + 1 + ((rex & 8) != 0 ? 8 : 4);
    }
    const bool is_to_register = code == 0x8b || code == 0x8d || code == 0x63 || code == 0x33;
    const bool is_from_register = code == 0x89 || code == 0x31;
    if (!is_to_register && !is_from_register) return 0;
    const unsigned char modes = at[prefix + 1];
    if (is_to_register && (modes >> 3 & 7) == 0 && (rex & 4) == 0) return 0;
    if (is_from_register && modes >> 6 == 3 && (modes & 7) == 0 && (rex & 1) == 0) return 0;
    return prefix + 2 + address_length(modes, at[prefix + 2]);
  }

 private:
  static size_t address_length(unsigned char modes, unsigned char scale) {
    const unsigned char mode = modes >> 6;
    const unsigned char base = modes & 7;
    if (mode == 3) return 0;
    const bool has_scale = base == 4;
    const bool is_absolute = mode == 0 && (base == 5 || (has_scale && (scale & 7) == 5));
    return (has_scale ? 1 : 0) + (mode == 1 ? 1 : mode == 2 || is_absolute ? 4 : 0);
  }
};

constexpr size_t kSystemCallBytes = 2;
constexpr size_t kFarthestNumber = 48;

// `code` ends behind the instruction. -1: not known.
inline long call_number_in(const unsigned char* code, size_t size) {
  constexpr size_t kNumberBytes = 5;
  constexpr uint32_t kMostCalls = 1024;
  if (size < kSystemCallBytes || code[size - 2] != 0x0f || code[size - 1] != 0x05) return -1;
  const size_t end = size - kSystemCallBytes;
  for (size_t back = kNumberBytes; back <= end; ++back) {
    const size_t start = end - back;
    if (code[start] != 0xb8 || (start > 0 && (code[start - 1] & 0xf0) == 0x40)) continue;
    const uint32_t number = static_cast<uint32_t>(code[start + 1]) | static_cast<uint32_t>(code[start + 2]) << 8 |
                            static_cast<uint32_t>(code[start + 3]) << 16 | static_cast<uint32_t>(code[start + 4]) << 24;
    if (number >= kMostCalls) continue;
    size_t at = start + kNumberBytes;
    while (at < end) {
      const size_t length = MoveDecoder::length(code + at);
      if (length == 0) break;
      at += length;
    }
    if (at == end) return number;
  }
  return -1;
}

}  // namespace atys::preload
