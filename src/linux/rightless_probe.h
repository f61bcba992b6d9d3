// SPDX-License-Identifier: Apache-2.0
// Tries what a capture without any right stands on, each on a child of our own or on ourselves: reading memory, stopping a
// thread for a moment, a signal to it, a library that we put before others.
#pragma once

#include <string>

namespace atys::linux {

// One try. `error` is an errno; 0: it worked.
struct Attempt {
  int error = 0;
  std::string detail;  // what was tried or found

  bool ok() const { return error == 0; }
};

Attempt try_memory();        // of a process of the same user that is no child of ours: process_vm_readv
Attempt try_memory_file();   // the same: /proc/PID/mem
Attempt try_child_memory();  // of a child, by whichever of both
Attempt try_stop();
Attempt try_signal();
Attempt try_preload();

}  // namespace atys::linux
