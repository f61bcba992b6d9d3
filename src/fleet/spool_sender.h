// SPDX-License-Identifier: Apache-2.0
// Sends what lies in a spool, oldest first. A window that may be taken later stays where it is and is tried again, less and
// less often; one that never will be taken is let go and counted.
#pragma once

#include <functional>

#include "fleet/controller_link.h"
#include "fleet/spool.h"

namespace atys::fleet {

// The other side is away, or does not let us in until somebody mends a token: it is no fault of the window.
bool is_worth_sending_again(const Error& error);

class SpoolSender {
 public:
  // Both outlive it.
  SpoolSender(Spool& spool, ControllerLink& link) : spool_(spool), link_(link) {}

  // Sends until the spool is empty, `goes_on` says no, or a window has to wait. Does nothing while it is too early to try
  // again. The error is that of the last window that was not taken.
  Result<> send(uint64_t now_ns, const std::function<bool()>& goes_on);
  // When a window that had to wait may be tried again; 0: none has to.
  uint64_t try_again_ns() const { return retry_ns_ > 0 ? next_ns_ : 0; }

 private:
  Spool& spool_;
  ControllerLink& link_;
  uint64_t next_ns_ = 0;
  uint64_t retry_ns_ = 0;
};

}  // namespace atys::fleet
