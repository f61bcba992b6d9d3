// SPDX-License-Identifier: Apache-2.0
// One CPython in a process: where its structures and its code are, and which threads run it.
#pragma once

#include <sys/types.h>

#include <array>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "capture/python/layout.h"
#include "capture/walking/stack_reader.h"

namespace atys::capture::python {

// What to call the function that waits for the interpreter's lock.
constexpr const char* kWaitingForLock = "[waiting for the GIL]";

// What tells code apart from other code that came to lie in its place.
atys_cookie cookie_of(const Layout& layout);
// Its object, name, file and line table: as much of them as the sampler copies.
std::array<atys_piece, ATYS_PIECES> pieces_of(const Layout& layout);

// Where it is.
struct Interpreter {
  Layout layout;
  uint64_t runtime = 0;    // _PyRuntime
  uint64_t first = 0;      // the main interpreter's state
  uint64_t code_type = 0;  // PyCode_Type; 0: not known
  std::vector<AddressRange> evaluator;
  std::vector<AddressRange> own;
  std::vector<std::pair<AddressRange, const char*>> landmarks;  // and what to call them

  atys_walker walker() const;
};

// Fails with Unavailable when the interpreter is there but has not started yet.
Result<Interpreter> find_interpreter(pid_t pid, const std::string& path, const std::string& version,
                                     linux::MemoryReader& memory);

// A thread as the interpreter knows it.
struct PythonThread {
  uint64_t state = 0;
  uint64_t pthread = 0;
  uint64_t native_id = 0;  // 0: not told by this version
};
std::vector<PythonThread> list_python_threads(linux::MemoryReader& memory, const Interpreter& interpreter);

// Versions before 3.11 know a thread by its pthread_t alone: where the C library keeps the number in there, learnt from
// threads whose numbers are known.
std::optional<uint32_t> find_tid_offset(linux::MemoryReader& memory, const std::vector<PythonThread>& threads,
                                        const std::vector<pid_t>& tids);

}  // namespace atys::capture::python
