// SPDX-License-Identifier: Apache-2.0
// A joined thread is still listed for a moment: the C library is told of its end before the kernel forgets it.
#pragma once

#include <signal.h>
#include <unistd.h>

#include <thread>

namespace atys::test {

inline void wait_until_gone(pid_t tid) {
  while (::tgkill(::getpid(), tid, 0) == 0) std::this_thread::yield();
}

}  // namespace atys::test
