// SPDX-License-Identifier: Apache-2.0
#include "unwind/call_site.h"

#include <cstdint>
#include <cstring>

namespace atys::unwind {

namespace {

// x86_64: call rel32 (e8 and four bytes), or call through a register or memory (ff, then a byte whose middle bits are 2),
// which has two to seven bytes.
bool is_after_x86_call(std::span<const std::byte> before) {
  const auto byte = [&](size_t from_end) { return static_cast<uint8_t>(before[before.size() - from_end]); };
  if (before.size() >= 5 && byte(5) == 0xe8) return true;
  for (size_t length = 2; length <= 7 && length <= before.size(); ++length) {
    if (byte(length) != 0xff || (byte(length - 1) >> 3 & 7) != 2) continue;
    const unsigned mode = byte(length - 1) >> 6;
    const unsigned base = byte(length - 1) & 7;
    const bool has_index = mode != 3 && base == 4;
    const bool has_no_base = mode == 0 && (base == 5 || (has_index && length >= 3 && (byte(length - 2) & 7) == 5));
    const size_t displacement = mode == 1 ? 1 : mode == 2 || has_no_base ? 4 : 0;
    if (length == 2 + (has_index ? 1 : 0) + displacement) return true;
  }
  return false;
}

// aarch64: bl, or blr with or without a signature.
bool is_after_arm_call(std::span<const std::byte> before) {
  if (before.size() < 4) return false;
  uint32_t instruction = 0;
  std::memcpy(&instruction, before.data() + before.size() - 4, sizeof(instruction));
  return instruction >> 26 == 0x25 || (instruction & 0xfefff000) == 0xd63f0000;
}

}  // namespace

bool is_after_call(Machine machine, std::span<const std::byte> before) {
  return machine == Machine::X86_64 ? is_after_x86_call(before) : is_after_arm_call(before);
}

}  // namespace atys::unwind
