// SPDX-License-Identifier: Apache-2.0
#include "unwind/call_target.h"

#include <array>
#include <cstring>
#include <span>

#include "unwind/call_site.h"

namespace atys::unwind {

namespace {

constexpr size_t kLongestCall = 8;
constexpr size_t kLongestWrapper = 512;

template <typename T>
T value_in(std::span<const std::byte> bytes, size_t at) {
  T value{};
  std::memcpy(&value, bytes.data() + at, sizeof(value));
  return value;
}

uint64_t moved(uint64_t address, int64_t by) { return address + static_cast<uint64_t>(by); }

std::optional<uint64_t> word_at(uint64_t address, Surroundings& surroundings) {
  std::array<std::byte, 8> bytes{};
  if (surroundings.read_memory(address, bytes) != bytes.size()) return std::nullopt;
  return value_in<uint64_t>(bytes, 0);
}

// call rel32, or call *rel32(%rip): through a word that the dynamic linker has filled in.
std::optional<uint64_t> x86_target(std::span<const std::byte> before, uint64_t return_address, Surroundings& surroundings) {
  const uint64_t relative = moved(return_address, value_in<int32_t>(before, before.size() - 4));
  if (before[before.size() - 6] == std::byte{0xff} && before[before.size() - 5] == std::byte{0x15})
    return word_at(relative, surroundings);
  if (before[before.size() - 5] == std::byte{0xe8}) return relative;
  return std::nullopt;
}

// bl
std::optional<uint64_t> arm_target(std::span<const std::byte> before, uint64_t return_address) {
  const auto instruction = value_in<uint32_t>(before, before.size() - 4);
  if (instruction >> 26 != 0x25) return std::nullopt;
  const int64_t distance = static_cast<int32_t>(instruction << 6) >> 6;
  return moved(return_address, distance * 4 - 4);
}

// [endbr64] [bnd] jmp *rel32(%rip), or [endbr64] jmp rel32
uint64_t follow_x86_jump(uint64_t address, std::span<const std::byte> code, Surroundings& surroundings) {
  size_t at = 0;
  if (value_in<uint32_t>(code, 0) == 0xfa1e0ff3) at += 4;
  if (code[at] == std::byte{0xf2}) ++at;
  const bool is_direct = code[at] == std::byte{0xe9};
  const bool is_by_memory = code[at] == std::byte{0xff} && code[at + 1] == std::byte{0x25};
  if (!is_direct && !is_by_memory) return address;
  const size_t operand = at + (is_direct ? 1 : 2);
  const uint64_t there = moved(address + operand + 4, value_in<int32_t>(code, operand));
  return is_direct ? there : word_at(there, surroundings).value_or(address);
}

// [bti] adrp x16; ldr x17, [x16, #n], or [bti] b
uint64_t follow_arm_jump(uint64_t address, std::span<const std::byte> code, Surroundings& surroundings) {
  const size_t at = value_in<uint32_t>(code, 0) == 0xd503245f ? 4 : 0;
  const auto first = value_in<uint32_t>(code, at);
  const auto second = value_in<uint32_t>(code, at + 4);
  if (first >> 26 == 0x05) return moved(address + at, int64_t{static_cast<int32_t>(first << 6) >> 6} * 4);
  if ((first & 0x9f00001f) != 0x90000010 || (second & 0xffc003ff) != 0xf9400211) return address;
  const uint32_t pages = (first >> 29 & 3) | (first >> 5 & 0x7ffff) << 2;
  const int64_t distance = int64_t{static_cast<int32_t>(pages << 11) >> 11} * 4096;
  const uint64_t slot = moved((address + at) & ~uint64_t{4095}, distance) + (second >> 10 & 0xfff) * 8;
  return word_at(slot, surroundings).value_or(address);
}

struct Jump {
  bool is_jump = false;
  bool is_anywhere = false;  // to where a register or memory says
  int64_t distance = 0;      // from the jump's beginning
};

Jump x86_jump(std::span<const std::byte> code) {
  const auto byte = [&](size_t at) { return static_cast<uint8_t>(code[at]); };
  if (byte(0) == 0xe9) return {.is_jump = true, .distance = int64_t{value_in<int32_t>(code, 1)} + 5};
  if (byte(0) == 0xeb) return {.is_jump = true, .distance = int64_t{value_in<int8_t>(code, 1)} + 2};
  return {.is_anywhere = byte(0) == 0xff && (byte(1) >> 3 & 7) == 4};
}

Jump arm_jump(std::span<const std::byte> code) {
  const auto instruction = value_in<uint32_t>(code, 0);
  if (instruction >> 26 == 0x05)
    return {.is_jump = true, .distance = int64_t{static_cast<int32_t>(instruction << 6) >> 6} * 4};
  return {.is_anywhere = (instruction & 0xfefff000) == 0xd61f0000};
}

}  // namespace

Call call_before(Machine machine, uint64_t return_address, Surroundings& surroundings) {
  std::array<std::byte, kLongestCall> before{};
  if (surroundings.read_memory(return_address - before.size(), before) != before.size())
    return {.is_call = surroundings.follows_call(return_address), .target = {}};
  if (!is_after_call(machine, before)) return {};
  const bool is_x86 = machine == Machine::X86_64;
  return {.is_call = true,
          .target = is_x86 ? x86_target(before, return_address, surroundings) : arm_target(before, return_address)};
}

uint64_t follow_jump(Machine machine, uint64_t address, Surroundings& surroundings) {
  std::array<std::byte, 16> code{};
  if (surroundings.read_memory(address, code) != code.size()) return address;
  return machine == Machine::X86_64 ? follow_x86_jump(address, code, surroundings)
                                    : follow_arm_jump(address, code, surroundings);
}

bool may_jump(Machine machine, uint64_t from, const std::function<bool(uint64_t)>& is_there, Surroundings& surroundings) {
  std::array<std::byte, kLongestWrapper> code{};
  const size_t size = surroundings.read_memory(from, code);
  const auto is_to_there = [&](uint64_t target) {
    return is_there(target) || is_there(follow_jump(machine, target, surroundings));
  };
  const size_t step = machine == Machine::X86_64 ? 1 : 4;
  for (size_t at = 0; at + 5 <= size; at += step) {
    const Jump jump =
        machine == Machine::X86_64 ? x86_jump(std::span(code).subspan(at)) : arm_jump(std::span(code).subspan(at));
    if (jump.is_anywhere || (jump.is_jump && is_to_there(moved(from + at, jump.distance)))) return true;
  }
  return size < code.size();  // who knows
}

}  // namespace atys::unwind
