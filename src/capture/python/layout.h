// SPDX-License-Identifier: Apache-2.0
// Where things lie in the memory of a CPython: by version up to 3.12, told by the interpreter itself from 3.13 on.
#pragma once

#include <cstdint>

#include "base/result.h"
#include "capture/native/walker_records.h"
#include "linux/memory_reader.h"

namespace atys::capture::python {

constexpr uint32_t kOldestMinor = 8;
constexpr uint32_t kNewestMinor = 15;
constexpr uint32_t kFirstWithDebugOffsets = 13;

// What marks a frame that native code called.
enum class EntryMark {
  EveryFrame,  // the evaluator calls itself for each frame
  Flag,        // a byte of the frame says so
  Shim,        // a frame without code lies behind it
};

struct Layout {
  uint32_t minor = 0;
  bool is_free_threaded = false;

  uint32_t interpreters_head = 0;  // in _PyRuntime
  uint32_t interpreter_next = 0;
  uint32_t interpreter_threads = 0;
  uint32_t interpreter_modules = 0;  // sys.modules; up to 3.12 no lock lies before it, so it is the same on all machines
  // The thread that holds the lock: from _PyRuntime, or from the first interpreter. No steps: nobody tells.
  bool is_holder_in_runtime = false;
  atys_path holder{};

  uint32_t thread_next = 0;
  uint32_t thread_interpreter = 0;
  uint32_t thread_id = 0;         // pthread_t
  uint32_t native_thread_id = 0;  // 0: there is none
  atys_path top{};                // from the thread to its innermost frame

  uint32_t frame_next = 0;
  uint32_t frame_code = 0;
  uint32_t frame_position = 0;
  uint32_t position_bytes = 8;
  uint32_t frame_marker = 0;
  uint32_t marker_bytes = 0;
  EntryMark entry_mark = EntryMark::Shim;

  uint32_t code_filename = 0;
  uint32_t code_name = 0;  // the qualified one where there is one
  uint32_t code_line_table = 0;
  uint32_t code_first_line = 0;
  uint32_t code_bytecode = 0;      // 0: positions are offsets
  uint32_t code_thread_local = 0;  // copies of the bytecode, one for each thread; 0: none

  uint32_t object_type = 8;
  uint32_t type_shared_keys = 0;  // of a class: the names of its instances' attributes; 0: instances have dictionaries
  uint32_t bytes_size = 16;
  uint32_t bytes_data = 32;
  uint32_t text_length = 16;
  uint32_t text_state = 32;
  uint32_t text_kind_bit = 2;  // of the state: three bits of kind, then compact, then ascii
  uint32_t text_ascii_data = 0;
  uint32_t text_compact_data = 0;
};

// `minor` as in 3.minor; `runtime` is the address of _PyRuntime. Whatever the process says of itself is checked.
Result<Layout> find_layout(uint32_t minor, linux::MemoryReader& memory, uint64_t runtime);

}  // namespace atys::capture::python
