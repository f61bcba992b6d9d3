// SPDX-License-Identifier: Apache-2.0
// What the Linux kernel accounts for the threads of a process over a stretch of time. It is an account that nobody of us
// made: what a runtime says of its own threads is measured by it. Only looks.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "capture/native/sample_source.h"

namespace atys::capture {

struct ThreadTime {
  uint64_t cpu_ns = 0;
  uint64_t there_ns = 0;  // of the stretch, how long there was such a thread
};

struct ProcessTimes {
  uint64_t lasted_ns = 0;               // the stretch; 0: nobody looked
  uint64_t since_first_ns = 0;          // with all stretches before it
  std::optional<uint64_t> cpu_ns;       // all threads, also those that ended; nothing: the process has ended
  std::map<pid_t, ThreadTime> threads;  // those that are still there, and of the others those whose end was told

  bool is_known() const { return lasted_ns > 0; }
};

// Times are CLOCK_MONOTONIC.
class ThreadTimes {
 public:
  explicit ThreadTimes(pid_t pid);

  // The first stretch, or one that has nothing to do with those before.
  void begin(uint64_t now_ns);
  // One that began at `since_ns`, though nobody looked then: fine for a process that did not exist yet. Of another, the
  // stretch begins now.
  void begin_late(uint64_t since_ns, uint64_t now_ns);
  bool has_begun() const { return begin_.at_ns != 0; }
  uint64_t began_ns() const { return begin_.at_ns; }
  // A thread is over, and nothing of it can be looked at any more.
  void note_end(const native::EndedThread& thread);
  // Of the stretch so far.
  ProcessTimes look(uint64_t now_ns);
  // The next stretch: from the last look on, so that one look serves both.
  void begin_where_looked();

 private:
  struct Snapshot {
    uint64_t at_ns = 0;
    std::optional<uint64_t> cpu_ns;
    std::map<pid_t, uint64_t> threads;  // and their CPU time
  };
  Snapshot snapshot(uint64_t now_ns) const;
  ThreadTime time_of(pid_t tid, uint64_t cpu_ns) const;
  ThreadTime time_of(const native::EndedThread& thread) const;

  pid_t pid_;
  uint64_t start_time_ticks_ = 0;  // of the process: its number may be another's later
  uint64_t first_ns_ = 0;
  Snapshot begin_;
  Snapshot last_;
  std::vector<native::EndedThread> ended_;  // in this stretch
};

}  // namespace atys::capture
