// SPDX-License-Identifier: Apache-2.0
// The functions that were seen in a process. The sampler hands frames over a moment late: what ran may have been freed by
// then (a worker frees the script's own code after each request), and its address hold something else. The cookie of the
// frame tells.
#pragma once

#include <map>
#include <unordered_map>

#include "capture/php/php_function.h"
#include "capture/walking/stack_reader.h"

namespace atys::capture::php {

class FunctionTable {
 public:
  struct Function {
    FunctionHead head;
    FunctionText text;
    std::unordered_map<uint64_t, uint32_t> id_of;  // the reader's: by instruction; 0 is where none is known
  };
  // A frame as it was walked.
  struct Frame {
    uint64_t address = 0;  // of its function
    uint64_t cookie = 0;
    uint64_t position = 0;
    bool may_lag = false;  // the position may be one of another function: the innermost has not always told its own yet
  };

  // `memory` outlives it.
  FunctionTable(linux::MemoryReader& memory, const Layout& layout, const atys_cookie& cookie)
      : memory_(memory), layout_(layout), cookie_(cookie) {}

  // A function as it was when it was sampled.
  void learn(CodeCopy& copy);
  // Null: it is gone, and was not seen while it was there.
  Function* find(const Frame& frame);
  // Whether the function that the frame ran is still at its address.
  bool is_there(const Frame& frame);

  static constexpr size_t kMostFunctions = 1 << 16;

 private:
  // By what tells functions apart, and by the first instruction: one that is declared in two ways has two lists of them.
  using Key = std::pair<uint64_t, uint64_t>;
  Function* known(const Frame& frame, bool may_lag);
  Function* look_at(const Frame& frame);
  Function& keep(uint64_t cookie, const FunctionHead& head, FunctionText text);

  linux::MemoryReader& memory_;
  Layout layout_;
  atys_cookie cookie_;
  std::map<Key, Function> functions_;
};

}  // namespace atys::capture::php
