// SPDX-License-Identifier: Apache-2.0
// Sends what lies in a spool, oldest first. A window that may be taken later stays where it is and is tried again, less and
// less often; one that never will be taken is let go and counted by why.
#pragma once

#include <functional>
#include <optional>

#include "fleet/controller_link.h"
#include "fleet/spool.h"

namespace atys::fleet {

// Why the window will not be taken, however often it is sent. Nothing: it is no fault of the window. The other side is away,
// in trouble with its disk or its clock, does not let us in, or is no controller at all until somebody mends an address.
std::optional<DropReason> reason_to_drop(const Error& error);

// What a window's times are, once it is known by how much the clock was off: the window to send from now on, or nothing
// where it is right as it is. An error: it is too early to say.
using SettleTimes = std::function<Result<std::optional<std::string>>(const Spool::Entry& entry)>;

class SpoolSender {
 public:
  // Both outlive it. Without `settle` times are as they are.
  SpoolSender(Spool& spool, ControllerLink& link, SettleTimes settle = {})
      : spool_(spool), link_(link), settle_(std::move(settle)) {}

  // Sends until the spool is empty, `goes_on` says no, or a window has to wait. Does nothing while it is too early to try
  // again. The error is that of the last window that was not taken.
  Result<> send(uint64_t now_ns, const std::function<bool()>& goes_on);
  // When a window that had to wait may be tried again; 0: none has to.
  uint64_t try_again_ns() const { return retry_ns_ > 0 ? next_ns_ : 0; }

 private:
  Result<> deliver(Spool::Entry entry);
  Result<> settle(Spool::Entry& entry);
  void postpone(uint64_t now_ns);
  bool is_way_open(Result<>& last);
  bool walk(size_t most_held, const std::function<bool()>& goes_on, Result<>& last);

  Spool& spool_;
  ControllerLink& link_;
  SettleTimes settle_;
  uint64_t next_ns_ = 0;
  uint64_t retry_ns_ = 0;
  uint64_t failed_rounds_ = 0;
  uint64_t held_up_to_ = 0;  // windows up to this number were held back; the next round goes on behind them
};

}  // namespace atys::fleet
