// SPDX-License-Identifier: Apache-2.0
// Puts an interpreter's frames in the place of the native frames that ran them.
//
//   native, leaf first:    memcpy  array_copy  [evaluator]  call_glue  [evaluator]  main  _start
//   interpreter's:                             load, step*             run*                       * called from native code
//   together:              memcpy  array_copy   load  step              run
//
// Frames of the interpreter's own code are left out: the language's frames stand for them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "capture/walking/stack_reader.h"

namespace atys::capture::native {

struct MixedFrame {
  bool is_language = false;
  uint32_t number = 0;  // position in the native stack, or the id of a frame of the language

  bool operator==(const MixedFrame&) const = default;
};

struct NativeStack {
  std::span<const uint64_t> addresses;  // leaf first; return addresses may be one past the call
  bool reaches_root = false;
  // Parallel: code that only starts programs and threads (libc). Dropped at the root, where the interpreter is what was
  // started.
  std::span<const uint8_t> is_start_code;
};

enum class Mix { Exact, Approximate };

// Appends to `mixed`. Approximate: both stacks do not fit together (one was taken a moment off), so the language's frames
// are in one piece where the innermost evaluator is.
Mix mix_stacks(const NativeStack& native, const InterpreterCode& code, std::span<const LanguageFrame> language,
               std::vector<MixedFrame>& mixed);

}  // namespace atys::capture::native
