// SPDX-License-Identifier: Apache-2.0
#include "unwind/frame_expression.h"

#include <dwarf.h>

#include "symbolize/cursor.h"
#include "unwind/machine_registers.h"

namespace atys::unwind {

using symbolize::Cursor;

namespace {

// What linkers write for x86_64 PLT slots: sp + 8 + ((pc & 15) >= N) * 8, because a slot pushes one word on its way.
// `cursor` is after the first operation.
bool is_plt_rest(Cursor& cursor, int8_t& threshold) {
  if (cursor.fixed<uint8_t>() != DW_OP_breg16 || cursor.sleb() != 0) return false;
  if (cursor.fixed<uint8_t>() != DW_OP_lit15 || cursor.fixed<uint8_t>() != DW_OP_and) return false;
  const auto literal = cursor.fixed<uint8_t>();
  if (literal < DW_OP_lit0 || literal > DW_OP_lit15) return false;
  threshold = static_cast<int8_t>(literal - DW_OP_lit0);
  constexpr uint8_t kRest[] = {DW_OP_ge, DW_OP_lit3, DW_OP_shl, DW_OP_plus};
  for (const uint8_t operation : kRest)
    if (cursor.fixed<uint8_t>() != operation) return false;
  return cursor.ok() && cursor.at_end();
}

// The word at an address, plus a constant: realigned stacks, and hand-written code that keeps the old stack pointer in
// memory.
bool is_load_rest(Cursor& cursor, int8_t& addend) {
  if (cursor.fixed<uint8_t>() != DW_OP_deref) return false;
  if (cursor.at_end()) return cursor.ok();
  const uint64_t more = cursor.fixed<uint8_t>() == DW_OP_plus_uconst ? cursor.uleb() : UINT64_MAX;
  addend = static_cast<int8_t>(more);
  return more <= INT8_MAX && cursor.ok() && cursor.at_end();
}

}  // namespace

Expression read_expression(std::span<const std::byte> bytes, Machine machine) {
  const MachineRegisters registers = registers_of(machine);
  Cursor cursor(bytes);
  const uint64_t reg = uint64_t{cursor.fixed<uint8_t>()} - DW_OP_breg0;
  const int64_t offset = cursor.sleb();
  if (!cursor.ok() || (reg != registers.sp && reg != registers.fp) || offset != static_cast<int32_t>(offset)) return {};
  const bool is_sp = reg == registers.sp;
  Expression expression;
  expression.offset = static_cast<int32_t>(offset);
  if (cursor.at_end()) {
    expression.kind = is_sp ? Rule::Cfa::SpPlus : Rule::Cfa::FpPlus;
    return expression;
  }
  Cursor again = cursor;
  if (is_load_rest(cursor, expression.extra))
    expression.kind = is_sp ? Rule::Cfa::AtSpPlus : Rule::Cfa::AtFpPlus;
  else if (machine == Machine::X86_64 && is_sp && is_plt_rest(again, expression.extra))
    expression.kind = Rule::Cfa::Plt;
  return expression;
}

}  // namespace atys::unwind
