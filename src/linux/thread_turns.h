// SPDX-License-Identifier: Apache-2.0
// Which thread has a CPU at this moment, as /proc tells. That a thread is ready says little where more are ready than can
// run.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string_view>

namespace atys::linux {

// How often it left a CPU, of its own will or not: of /proc/PID/task/TID/status.
std::optional<uint64_t> parse_switches(std::string_view status);
// The CPU that it is on or was on last: of /proc/PID/task/TID/stat.
std::optional<int> parse_last_cpu(std::string_view stat);

// Nothing: it has ended.
std::optional<uint64_t> switches_of(pid_t pid, pid_t tid);
// -1: not known.
int last_cpu(pid_t pid, pid_t tid);

// Who has come to a CPU once more than it left one has one. But since 6.12 the kernel does not count the arrival of a thread
// that is woken so soon after it went to sleep that it still stood in the queue: so we learn how many are missing.
// `arrivals`: ThreadFigures::turns.
class TurnCount {
 public:
  bool is_on_cpu(uint64_t arrivals, uint64_t switches) const { return arrivals + missing_ == switches + 1; }
  // `arrivals` was read after `switches`, so that it may be too high and never too low: no more is missing than is told.
  void learn(uint64_t switches, uint64_t arrivals) { learn_missing(switches, arrivals); }
  // The thread itself told how often it had left a CPU: it had one.
  void learn_on_cpu(uint64_t switches, uint64_t arrivals) { learn_missing(switches + 1, arrivals); }

 private:
  void learn_missing(uint64_t known, uint64_t arrivals) {
    if (known > arrivals + missing_) missing_ = known - arrivals;
  }

  uint64_t missing_ = 0;
};

}  // namespace atys::linux
