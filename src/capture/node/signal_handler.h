// SPDX-License-Identifier: Apache-2.0
// Whether SIGUSR1 opens the inspector of a Node.js process, or does something else to it: without a handler it would kill
// the process, and a program that listens for it (process.on('SIGUSR1')) would do whatever it does then.
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>

#include "base/result.h"

namespace atys::capture::node {

enum class SignalUse {
  OpensInspector,
  None,       // no handler: the signal would kill it
  Blocked,    // ignored or blocked: nothing would happen
  OfProgram,  // a function of the program is called
  NotNode,    // V8 in another program: a handler of SIGUSR1 can be anything
  Unknown,    // there is a handler, but its memory cannot be read
};

// Of the text of /proc/PID/status: OpensInspector (some handler), None or Blocked.
SignalUse parse_signal_use(std::string_view status);

// Only reads; `runtime_file` is the file that has Node.js in it, as the process sees it.
Result<SignalUse> read_signal_use(pid_t pid, const std::string& runtime_file);

}  // namespace atys::capture::node
