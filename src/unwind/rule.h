// SPDX-License-Identifier: Apache-2.0
// How to get from one frame to its caller: what a row of call frame information says about the registers that matter.
// The CFA (canonical frame address) is the caller's stack pointer.
#pragma once

#include <cstdint>

namespace atys::unwind {

enum class Machine : uint8_t { X86_64, Aarch64 };

struct Rule {
  enum class Cfa : uint8_t {
    None,         // nothing is known here: follow the frame pointer
    SpPlus,       // sp + cfa_offset
    FpPlus,       // fp + cfa_offset
    BxPlus,       // x86_64: rbx + cfa_offset (the dynamic linker's entry for calls that it resolves on the way)
    AtSpPlus,     // the word at sp + cfa_offset, plus cfa_extra
    AtFpPlus,     // the word at fp + cfa_offset, plus cfa_extra (a stack that the function has realigned)
    Plt,          // sp + cfa_offset, and 8 more once (pc & 15) >= cfa_extra
    SignalFrame,  // all registers are in the ucontext that the system has left on the stack
    Root,         // the outermost frame: it has no caller
    Unsupported,  // described, but not in a form that we follow
  };
  enum class Fp : uint8_t { Unchanged, AtCfaPlus, AtFpPlus, AtSpPlus };
  enum class Ra : uint8_t { AtCfaPlus, InLr };

  Cfa cfa = Cfa::None;
  Fp fp = Fp::Unchanged;
  Ra ra = Ra::AtCfaPlus;
  int8_t cfa_extra = 0;
  int32_t cfa_offset = 0;
  int32_t fp_offset = 0;
  int32_t ra_offset = 0;
  int32_t bx_offset = 0;  // x86_64: rbx is at the CFA plus this; 0: unchanged

  friend bool operator==(const Rule&, const Rule&) = default;
};
static_assert(sizeof(Rule) == 20);

}  // namespace atys::unwind
