// SPDX-License-Identifier: Apache-2.0
#include "unwind/prologue.h"

#include <algorithm>
#include <cstring>

namespace atys::unwind {

namespace {

constexpr size_t kLongestInstruction = 15;
constexpr unsigned kSp = 4;

struct Instruction {
  size_t length = 0;      // 0: not known, or not of a prologue
  uint64_t lowering = 0;  // bytes by which it lowers sp
};

// An instruction whose operands are a register and one more register or memory.
struct Operands {
  unsigned reg = 0;
  unsigned rm = 0;  // a register, if it is direct
  bool is_direct = false;
  size_t length = 0;  // of the bytes that say so
};

class Decoder {
 public:
  explicit Decoder(std::span<const std::byte> code) : code_(code) {
    if ((byte(0) & 0xf0) == 0x40) {
      rex_ = byte(0);
      at_ = 1;
    }
  }

  Instruction next() const {
    const uint8_t opcode = byte(at_);
    if (opcode >= 0x50 && opcode <= 0x57) return {at_ + 1, 8};                                        // push
    if (opcode >= 0xb8 && opcode <= 0xbf) return {at_ + 1 + (is_wide() ? size_t{8} : size_t{4}), 0};  // mov imm
    switch (opcode) {
      case 0x83: return with_immediate(1);
      case 0x81: return with_immediate(4);
      case 0xc7: return stored_immediate();
      case 0x89:  // to rm: mov, add, sub, xor, test, cmp
      case 0x01:
      case 0x29:
      case 0x31:
      case 0x85:
      case 0x39: return plain(at_ + 1, false);
      case 0x8b:  // to reg: mov, lea, add, sub, xor, cmp, movsxd
      case 0x8d:
      case 0x03:
      case 0x2b:
      case 0x33:
      case 0x3b:
      case 0x63: return plain(at_ + 1, true);
      case 0x0f: return is_extending_move(byte(at_ + 1)) ? plain(at_ + 2, true) : Instruction{};
      default: return {};
    }
  }

 private:
  uint8_t byte(size_t at) const { return static_cast<uint8_t>(code_[at]); }
  bool is_wide() const { return (rex_ & 8) != 0; }
  static bool is_extending_move(uint8_t opcode) {
    return opcode == 0xb6 || opcode == 0xb7 || opcode == 0xbe || opcode == 0xbf;
  }

  Operands operands(size_t at) const {
    const uint8_t mode = byte(at) >> 6;
    Operands found{
        .reg = (byte(at) >> 3 & 7u) | ((rex_ & 4u) << 1), .rm = byte(at) & 7u, .is_direct = mode == 3, .length = 1};
    if (found.is_direct) {
      found.rm |= (rex_ & 1u) << 3;
      return found;
    }
    const bool has_index = found.rm == 4;
    if (has_index) ++found.length;
    const bool has_no_base = mode == 0 && (found.rm == 5 || (has_index && (byte(at + 1) & 7) == 5));
    found.length += mode == 1 ? 1 : mode == 2 || has_no_base ? 4 : 0;
    return found;
  }

  // Nothing but moves and sums of other registers than sp.
  Instruction plain(size_t at, bool is_to_reg) const {
    const Operands found = operands(at);
    const bool is_to_sp = is_to_reg ? found.reg == kSp : found.is_direct && found.rm == kSp;
    return is_to_sp ? Instruction{} : Instruction{at + found.length, 0};
  }

  Instruction with_immediate(size_t size) const {
    constexpr unsigned kSubtract = 5;
    const Operands found = operands(at_ + 1);
    const Instruction instruction{at_ + 1 + found.length + size, 0};
    if (!found.is_direct || found.rm != kSp) return instruction;
    int32_t value = 0;
    std::memcpy(&value, code_.data() + at_ + 1 + found.length, sizeof(value));
    if (size == 1) value = static_cast<int8_t>(value);
    if ((found.reg & 7) != kSubtract || !is_wide() || value < 0) return {};
    return {instruction.length, static_cast<uint64_t>(value)};
  }

  Instruction stored_immediate() const {
    const Operands found = operands(at_ + 1);
    return found.is_direct && found.rm == kSp ? Instruction{} : Instruction{at_ + 1 + found.length + 4, 0};
  }

  std::span<const std::byte> code_;
  uint8_t rex_ = 0;
  size_t at_ = 0;
};

}  // namespace

uint64_t least_lowering(std::span<const std::byte> code) {
  uint64_t lowering = 0;
  for (size_t at = 0; at + kLongestInstruction <= code.size();) {
    const Instruction next = Decoder(code.subspan(at)).next();
    if (next.length == 0) break;
    lowering += next.lowering;
    at += next.length;
  }
  return lowering;
}

}  // namespace atys::unwind
