// SPDX-License-Identifier: Apache-2.0
// How much CPU time the processes of a recording used, by the Linux kernel's account: what samples say is scaled to it.
// Reads one clock for each process; of those that end, what the sampler told of the ends of their threads.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <set>

#include "capture/native/sample_source.h"

namespace atys::capture {

class CpuAccounts {
 public:
  // One that runs already, and of which only what it does from now on counts.
  void add(pid_t pid);
  // One that began within the recording.
  void add_new(pid_t pid);
  bool knows(pid_t pid) const { return accounts_.contains(pid); }
  void note_end(const native::EndedThread& thread);

  // What each used since the last next_window(), or since it was added. Those that have ended and whose threads' ends were
  // not told are not in it.
  std::map<pid_t, uint64_t> look();
  std::set<pid_t> alive() const;
  // Counts from the last look on.
  void next_window();

 private:
  struct Account {
    uint64_t clock_ns = 0;    // of the process, when it was added
    uint64_t threads_ns = 0;  // of its threads, those that had ended by then left out
    uint64_t ended_ns = 0;    // of threads that have ended since
    uint64_t start_time = 0;  // a number may be another's later
    bool has_ended_threads = false;
    uint64_t looked_ns = 0;  // used since it was added, at the last look
    uint64_t told_ns = 0;    // and at the one before this window
  };
  std::map<pid_t, Account> accounts_;
};

}  // namespace atys::capture
