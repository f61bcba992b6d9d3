// SPDX-License-Identifier: Apache-2.0
// Why a thread waits, told by the system call that it waits in: for where the kernel's stack is not ours to see. The words
// are those of wait_reason().
#pragma once

#include <string_view>

#include "linux/open_file.h"

namespace atys::capture::native {

enum class CallSays {
  Reason,  // the call itself
  File,    // what its first argument is a descriptor of
  Nothing,
};
struct CallReason {
  CallSays says = CallSays::Nothing;
  std::string_view reason;
};
// By the name of the call; empty: it waits in none.
CallReason reason_of_call(std::string_view call);

// For where that is not enough. `state` is the thread's letter in /proc.
std::string_view reason_of_file(linux::FileKind kind, char state);

}  // namespace atys::capture::native
