// SPDX-License-Identifier: Apache-2.0
// What is known of the threads and processes that are looked at from outside (look_source.h).
#pragma once

#include <map>
#include <optional>
#include <string>

#include "capture/native/sample_source.h"
#include "capture/native/wait_account.h"
#include "capture/preload/shared_memory.h"
#include "capture/walking/walk_remote.h"
#include "linux/thread_activity.h"
#include "linux/thread_turns.h"

namespace atys::capture::native {

// How a stack of a process is had.
enum class Way { Unknown, Signal, Stop, Memory };

struct LookedThread {
  uint64_t state = 0;  // of the interpreter; 0: it runs none of its code, as far as we know
  std::optional<linux::ThreadFiles> files;
  uint64_t ran_ns = 0;    // when looked at the last time
  uint64_t delay_ns = 0;  // for which it was ready but had no CPU, at that time
  uint64_t arrivals = 0;  // on a CPU
  linux::TurnCount turns;
  uint64_t seen_arrivals = 0;
  uint64_t turn_on_cpu = 0;  // it was on a CPU when we last looked, having come to one so often
  uint64_t asked_ns = 0;     // when that was: when we had been woken; 0: does not count
  uint64_t told_ns = 0;      // of what it ran: before us, and in samples since
  uint64_t next_look_ns = 0;
  uint32_t idle_looks = 0;    // in a row
  bool is_deaf = false;       // does not answer signals: it blocks them, or handles them itself
  uint64_t asked_ran_ns = 0;  // what it had run when it was asked
  std::string comm;
  RemoteWalker walker;
  WaitAccount waits;
};

struct LookedProcess {
  Way way = Way::Unknown;
  StackMode mode = StackMode::ByCopy;
  bool may_stop = true;  // nobody has refused it
  uint64_t program = 0;  // that was looked at for it: the number of its file
  uint32_t life = 0;
  uint64_t start_ticks = 0;  // 0: not asked yet
  bool has_walker = false;
  atys_walker walker{};
  uint32_t walker_number = preload::kWalkers;  // in the memory that is shared
  uint64_t began_ns = 0;                       // when it was first seen, CLOCK_MONOTONIC
  uint64_t ran_at_ns = 0;                      // when it was last seen to have
  uint64_t ran_ns = 0;                         // all of its threads, when looked at the last time
  uint64_t told_ns = 0;                        // of that, in samples
  bool has_run = true;                         // since its waits were looked at
  uint64_t next_listing_ns = 0;                // 0: its threads have never been listed
  pid_t newest_listed = 0;                     // number that had been given out then
  std::map<pid_t, LookedThread> threads;
};

// It has run for long and never counted, though looks were repeated: a sample that may be of a system call rather
// than of what is around it is better than none. Were it asked for sooner, a program on a busy machine had half of its time
// in calls that took 3 %.
bool is_overdue(const LookedThread& thread, uint64_t period_ns);

// Whether it waited for a CPU only since we were awake to look at it: it is we who took it. `now`: its figures at `at_ns`.
bool made_room_for_us(const LookedThread& thread, const linux::ThreadFigures& now, uint64_t at_ns);

// A thread that is ready but waits for a CPU answers when it gets one, and shows where it lost it the last time: that is not
// where it spends its time, but where the system takes the CPU away. Only who had one when we looked counts. We may have
// taken it ourselves: then it has been waiting for no longer than we have been awake. But where we had to wait for a CPU, be
// it for 50 µs, it is the thread that had it before us who chose the moment: of such samples two thirds were in system calls
// that took 3 % of the time.
bool was_on_cpu(LookedThread& thread, uint64_t switches, uint64_t taken_ns);

// Seen from outside, at this moment.
bool is_on_cpu(LookedThread& thread);

}  // namespace atys::capture::native
