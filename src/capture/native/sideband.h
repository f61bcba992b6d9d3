// SPDX-License-Identifier: Apache-2.0
// What processes do besides running: start, exec, map files, end. Comes from one event per CPU, for all processes, so that
// the mappings of a process that lived for a millisecond are known.
#pragma once

#include <poll.h>

#include <vector>

#include "base/unique_fd.h"
#include "linux/perf_records.h"
#include "linux/perf_ring.h"

namespace atys::capture::native {

class Sideband {
 public:
  // `only_process`: records of others are passed over; 0: of all.
  static Result<Sideband> open(const std::vector<int>& cpus, pid_t only_process = 0);
  Result<> start();
  // In order of time, as far as one pass over the CPUs can tell.
  void drain(std::vector<linux::PerfRecord>& records);
  // Ready when there is so much that it should be drained before its time.
  void add_wakeups(std::vector<pollfd>& fds) const;

 private:
  Sideband() = default;
  pid_t only_process_ = 0;
  std::vector<UniqueFd> events_;
  std::vector<linux::PerfRing> rings_;
};

}  // namespace atys::capture::native
