// SPDX-License-Identifier: Apache-2.0
// Ctrl-C and its like as something to read instead of something that interrupts. While one exists, the signals do nothing
// else; afterwards everything is as before.
#pragma once

#include <csignal>

#include "base/result.h"
#include "base/unique_fd.h"

namespace atys::linux {

class SignalWatch {
 public:
  // SIGINT, SIGTERM and SIGHUP.
  static Result<SignalWatch> create();
  SignalWatch(SignalWatch&&) noexcept = default;
  SignalWatch& operator=(SignalWatch&&) = delete;
  ~SignalWatch();

  int fd() const { return fd_.get(); }  // readable when one has come

  struct Taken {
    int number = 0;               // 0: none has come
    bool is_of_terminal = false;  // the whole group of processes got it, not we alone
  };
  Taken take();

 private:
  SignalWatch() = default;
  UniqueFd fd_;
  sigset_t before_{};
};

}  // namespace atys::linux
