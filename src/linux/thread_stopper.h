// SPDX-License-Identifier: Apache-2.0
// Stops a thread of another process for a moment, so that somebody can look at it (ptrace).
//
// Between two looks we are not attached. A tracer that stays is a guest who moves in: every signal waits for it, ignored
// signals interrupt system calls, setuid programs start without their rights, no debugger gets in. To come and go each time
// costs us 4 µs, and the thread nothing.
//
// The thread that calls is the tracer: one thread makes all calls, from construction to destruction. When it ends, however
// it ends, the kernel lets everything go.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "linux/stop_refusal.h"
#include "linux/stopped_registers.h"
#include "linux/trace_event.h"

namespace atys::linux {

struct StopFigures {
  uint64_t stops = 0;
  uint64_t paused_ns = 0;  // from asking it to stop to letting it go on, CLOCK_MONOTONIC
  uint64_t longest_ns = 0;
  uint64_t refused = 0;
  uint64_t busy = 0;          // did not stop within the patience
  uint64_t undone_late = 0;   // of those: stopped later, and let go at the next call
  uint64_t made_again = 0;    // system calls that would have failed because of us
  uint64_t signals_seen = 0;  // met on their way to the thread, and passed on
};

enum class StopOutcome {
  Looked,
  Asleep,   // it does not run, or is stopped by job control: left alone
  Ended,    // or is another thread than it was
  Refused,  // see StopResult::refusal
  Busy,     // did not stop in time, or another thread of its process has not yet: try later
};

struct StopResult {
  StopOutcome outcome = StopOutcome::Ended;
  StopRefusal refusal;
};

// What a thread showed while it stood.
struct StoppedThread {
  pid_t pid = 0;
  pid_t tid = 0;
  UserRegisters registers;
};

struct StopOptions {
  uint64_t patience_ns = 5'000'000;
  // Threads that sleep are not interrupted. Only tests want it otherwise.
  bool only_running = true;
};

class ThreadStopper {
 public:
  explicit ThreadStopper(const StopOptions& options = {}) : options_(options) {}
  ~ThreadStopper() { release(); }
  ThreadStopper(const ThreadStopper&) = delete;
  ThreadStopper& operator=(const ThreadStopper&) = delete;

  // Calls `look` while the thread stands; its memory can be read. What `look` takes is the target's pause. Does not wait
  // longer than the patience, except for an exec of the target that is under way: the kernel lets nobody attach meanwhile.
  using Look = std::function<void(const StoppedThread&)>;
  StopResult stop_shortly(pid_t pid, pid_t tid, const Look& look);

  // Lets go of threads that have stopped after our patience was over. Until then they stand: to be called often, at least
  // whenever samples are due.
  void pass_on_events();

  // Lets go of one of them, and calls `look` before. False: none stands.
  bool look_at_late(const Look& look);
  // Whether it was asked to stop, and has not yet.
  bool holds(pid_t tid) const;
  bool holds_any() const;

  // Lets go of everything. Waits for those that only wait for a CPU, as long as that may take on a busy machine, and for
  // those that cannot stop no longer than the patience. Says how many of these are left: they stand, when they stop, until
  // the next call or the end of our thread, so whoever samples does so in a thread that ends with it.
  size_t release();

  const StopFigures& figures() const { return figures_; }

 private:
  // A thread that we are attached to.
  struct Held {
    pid_t pid = 0;
    pid_t tid = 0;
    uint64_t paused_since_ns = 0;  // at the earliest: when we asked, or when it was last seen not to stand
    bool is_late = false;          // our patience was over
    bool has_new_number = false;   // it called exec, and is the first thread of its process now
    bool is_dead_leader = false;   // the first thread has ended, others go on; we are told when the last has
  };
  StopResult refused(const StopRefusal& refusal);
  StopResult await_and_look(const Held& held, const Look& look);
  StopResult look_while_it_stands(const Held& held, const TraceEvent& event, const Look& look);
  StopResult without_a_stop(Held held);
  void let_go(const Held& held, const TraceEvent& event, const std::optional<StoppedRegisters>& registers);
  // Whether one of those that are held can run: it stops as soon as it does.
  bool will_stop_soon() const;
  // Whether nothing is left to do for it.
  bool try_to_finish(Held& held);

  StopOptions options_;
  StopFigures figures_;
  std::vector<Held> held_;  // asked to stop, and not seen to
};

}  // namespace atys::linux
