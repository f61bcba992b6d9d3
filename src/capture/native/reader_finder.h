// SPDX-License-Identifier: Apache-2.0
// Who knows whether there is an interpreter in a process. Implemented outside of the native kernel, which knows no
// languages.
#pragma once

#include <memory>

#include "capture/walking/stack_reader.h"

namespace atys::capture::native {

class ReaderFinder {
 public:
  virtual ~ReaderFinder() = default;

  struct Found {
    std::shared_ptr<StackReader> reader;  // null: none
    bool ask_again = false;               // it may be there a moment later: the interpreter was not ready
  };
  virtual Found find_reader(pid_t pid) = 0;
  // Whether a file that a process maps may bring an interpreter.
  virtual bool may_bring_runtime(std::string_view path) const = 0;
};

}  // namespace atys::capture::native
