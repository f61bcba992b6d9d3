// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/result.h"
#include "linux/signal_watch.h"

namespace atys::verbs {

// Waits for SIGINT, SIGTERM or SIGHUP, or for so long. To be made before other threads are, so that none of them takes the
// signals.
class UntilToldToEnd {
 public:
  static Result<UntilToldToEnd> create();

  void wait();
  // True: it is time to end.
  bool wait(uint64_t ns);

 private:
  explicit UntilToldToEnd(linux::SignalWatch signals) : signals_(std::move(signals)) {}
  linux::SignalWatch signals_;
};

}  // namespace atys::verbs
