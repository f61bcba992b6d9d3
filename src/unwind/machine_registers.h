// SPDX-License-Identifier: Apache-2.0
// What call frame information calls the registers of a machine, and where the system leaves them when it delivers a signal.
#pragma once

#include <cstdint>

#include "unwind/rule.h"

namespace atys::unwind {

// DWARF numbers: System V ABI for AMD64, table of register numbers; DWARF for the Arm 64-bit architecture, the same.
struct MachineRegisters {
  uint64_t sp;
  uint64_t fp;
  uint64_t ra;  // the column of the return address
  uint64_t bx;
};

constexpr MachineRegisters registers_of(Machine machine) {
  if (machine == Machine::X86_64) return {.sp = 7, .fp = 6, .ra = 16, .bx = 3};
  return {.sp = 31, .fp = 29, .ra = 30, .bx = UINT64_MAX};
}

// Offsets from the stack pointer, as it is when the handler has returned into the trampoline, to the registers in the
// ucontext. Part of the system's ABI: struct rt_sigframe begins with the ucontext (x86_64, return address popped) or with a
// siginfo of 128 bytes (aarch64).
struct SignalFrameOffsets {
  uint64_t pc;
  uint64_t sp;
  uint64_t fp;
  uint64_t lr;
  uint64_t bx;
};

constexpr SignalFrameOffsets signal_frame_of(Machine machine) {
  if (machine == Machine::X86_64) return {.pc = 168, .sp = 160, .fp = 120, .lr = 0, .bx = 128};
  return {.pc = 568, .sp = 560, .fp = 544, .lr = 552, .bx = 0};
}

}  // namespace atys::unwind
