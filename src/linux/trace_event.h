// SPDX-License-Identifier: Apache-2.0
// What a thread that we are attached to has to tell us: that it stands, and for what, or that it has died.
#pragma once

#include <sys/types.h>

#include <cstdint>

namespace atys::linux {

struct TraceEvent {
  enum class Kind {
    None,    // it runs, sleeps or waits in the kernel
    Asked,   // it stands because we asked it to
    Group,   // it stands because its process is stopped by job control
    Signal,  // it stands before `signal` is delivered, which has to be passed on
    Died,    // it has ended, and waits for `bury`
    Gone,    // nothing of it is left to us: ended and buried, or an exec has taken its place
  };
  Kind kind = Kind::None;
  int signal = 0;

  bool stands() const { return kind == Kind::Asked || kind == Kind::Group || kind == Kind::Signal; }
};

// Looks without taking: how a child of ours ended is left for who waits for it.
TraceEvent peek_trace_event(pid_t tid);

// Waits for something to tell, at most until `deadline_ns` of CLOCK_MONOTONIC.
TraceEvent await_trace_event(pid_t tid, uint64_t deadline_ns);

// A thread that died while we were attached stays until we have asked for it, and so does what waits for it: an exec of
// another thread, the parent of a process. A child of our own is not touched: whoever started it wants to know how it ended.
void bury(pid_t pid, pid_t tid);

// Whether the thread that calls is the tracer of the first thread of the process.
bool is_traced_by_us(pid_t pid);

}  // namespace atys::linux
