// SPDX-License-Identifier: Apache-2.0
// What makes a controller an agent of the controller above it: minutes that are over are passed on, one window for each
// service, kind, version and stretch, whatever the number of nodes; tasks come down the same way. What was merged above is
// then what would have been merged there without us.
//
// A minute is closed once: nothing is stored while it is read (append() waits), and what comes for it later is passed on by
// itself. A crash in the middle of closing is mended at the next start, before anything new is taken; ids of what is passed
// on depend on what it is of, so that sending again does no harm. A disk that is full keeps a minute open, and late windows
// at their senders. A late window that was stored when the machine died, and not yet in the spool, is put there when its
// sender repeats it.
//
// The clock says when a minute is over, and nothing else: it is not believed about minutes that have no window, so that a
// jump ahead closes nothing that is still to come. Where a clock that was ahead has had minutes closed which come again,
// their windows are passed on one by one.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>

#include "base/durable_file.h"
#include "base/result.h"
#include "fleet/controller_link.h"
#include "store/profile_store.h"

namespace atys::fleet {

struct UpstreamOptions {
  std::string name;    // of this controller, as a node of the other
  std::string folder;  // for what is on its way
  int64_t interval_ns = 60'000'000'000;
  int64_t grace_ns = 30'000'000'000;  // how long after its end an interval is waited with
  uint64_t spool_bytes = uint64_t{256} << 20;
  FileCalls* files = &FileCalls::of_kernel();
  std::function<int64_t()> now_ns;               // Unix time
  std::function<AgentReport()> report;           // of this controller
  std::function<void(const Orders&)> on_orders;  // of the other one
};

struct UpstreamStatus {
  bool is_connected = false;
  std::string trouble;
  uint64_t spooled_bytes = 0, spooled_windows = 0, dropped_windows = 0, sent_windows = 0;
};

class Upstream {
 public:
  // `store` outlives it.
  static Result<std::unique_ptr<Upstream>> open(UpstreamOptions options, store::ProfileStore& store,
                                                std::unique_ptr<ControllerLink> link);
  virtual ~Upstream() = default;

  // Stores, and sees to it that late windows are passed on too.
  virtual Result<store::Appended> append(std::span<const store::Window> windows) = 0;
  virtual UpstreamStatus status() const = 0;

  // One round of what its thread does all the time: close, send, report. For tests.
  virtual void work_once() = 0;
  virtual void start() = 0;
};

}  // namespace atys::fleet
