// SPDX-License-Identifier: Apache-2.0
// The functions that were seen in a process. The sampler hands frames over a moment late: what ran a script may have been
// freed by then (a worker frees the script's own code after each request), and its address hold something else. What tells
// is the instruction that a frame is at: instructions stay, shared by all copies of a function.
#pragma once

#include <map>
#include <unordered_map>

#include "capture/php/php_function.h"
#include "capture/stack_reader.h"

namespace atys::capture::php {

class FunctionTable {
 public:
  struct Function {
    FunctionHead head;
    FunctionText text;
    uint64_t checked_at = 0;                       // walk
    std::unordered_map<uint64_t, uint32_t> id_of;  // the reader's: by instruction; 0 is where none is known
  };
  // A frame as it was walked.
  struct Frame {
    uint64_t address = 0;  // of its function
    uint64_t position = 0;
    bool may_lag = false;  // the position may be one of another function: the innermost has not always told its own yet
    uint64_t walk = 0;     // number of the walk
  };

  // A function is taken for the same for so many walks without a look at it.
  FunctionTable(const Layout& layout, uint64_t trusted_walks) : layout_(layout), trusted_walks_(trusted_walks) {}

  // Null: it is gone, and was never seen.
  Function* find(linux::MemoryReader& memory, const Frame& frame);

  static constexpr size_t kMostFunctions = 1 << 16;

 private:
  Function* by_position(uint64_t position);
  Function* remember(linux::MemoryReader& memory, const Frame& frame, const FunctionHead& head);

  Layout layout_;
  uint64_t trusted_walks_;
  // By the first instruction; by the address of the function where it has none.
  std::map<uint64_t, Function> functions_;
  // The keys of both, by the address that a function was last seen at.
  std::unordered_map<uint64_t, uint64_t> keys_;
};

}  // namespace atys::capture::php
