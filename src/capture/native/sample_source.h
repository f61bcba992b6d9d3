// SPDX-License-Identifier: Apache-2.0
// Where samples come from: one class per tier (ebpf_source, ring_source, look_source), one interface. A source hands over
// what happened in the order of time, so that a stack is looked up in the mappings that its process had at that moment.
#pragma once

#include <poll.h>
#include <sys/types.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "capture/native/context_records.h"
#include "capture/native/walker_records.h"
#include "capture/walking/code_copy.h"
#include "linux/perf_records.h"

namespace atys::capture::native {

// What a wait or an event was, beyond its stack; empty for CPU samples.
struct SampleNote {
  // "cpu": ready to run, but had no CPU; "blocked": the kernel stack says by what; else that itself, where there is no such
  // stack: a word of wait_reason().
  std::string_view wait;
  bool is_waker = false;  // the stack that ended a wait
};

struct RawSample {
  uint64_t time_ns = 0;  // CLOCK_MONOTONIC
  pid_t pid = 0;
  pid_t tid = 0;
  std::string_view comm;
  std::span<const uint64_t> kernel_frames;  // leaf first
  std::span<const uint64_t> user_frames;    // leaf first, by frame pointers; empty when there is a copy
  linux::UserRegisters registers;
  std::span<const std::byte> stack_copy;  // from registers.sp on
  bool has_copy = false;
  std::span<const atys_walked> walked;  // frames of an interpreter, innermost first
  uint16_t walk_flags = 0;              // atys_walk_flags
  bool is_outside = false;              // not of the target: whoever woke one of its threads
  bool stands_still = false;            // the thread waits while we look: what is not here can be read from its process
  uint64_t loaded = 0;                  // changes with the libraries of the process; 0: not told
  std::span<const std::byte> context;   // what the thread says of its work, as its process writes it
  SampleNote note;
};

// What a sample is added to: one stack of one thread.
using SampleSlot = uint32_t;

// A thread that is over, as far as the source can tell. Times are CLOCK_MONOTONIC.
struct EndedThread {
  pid_t pid = 0;
  pid_t tid = 0;
  uint64_t began_ns = 0;
  uint64_t ended_ns = 0;
  uint64_t cpu_ns = 0;  // since it began
};

// Whoever makes sense of it.
class SampleSink {
 public:
  virtual ~SampleSink() = default;
  virtual void on_process_record(const linux::PerfRecord& record) = 0;
  virtual void on_code(pid_t, CodeCopy&) {}  // of an interpreter; the samples that it is in come after
  virtual SampleSlot on_stack(const RawSample& sample) = 0;
  virtual SampleSlot on_lost_stack(pid_t pid, pid_t tid) = 0;  // counted, but its frames did not arrive
  virtual void add(SampleSlot slot, uint64_t samples, uint64_t weight) = 0;
  virtual void on_thread_end(const EndedThread&) {}
  virtual void on_waited(pid_t, pid_t /*tid*/, uint64_t /*ns*/) {}  // all its waits since the last time, counted
  // Find out anew which threads of the process run an interpreter, and tell the source.
  virtual void refresh_threads(pid_t pid, uint64_t now_ns) = 0;
};

// How the user stacks of a process are to be taken.
enum class StackMode { ByFramePointer, ByCopy, Without };  // Without: only how much, the rest is told by somebody else

// Totals since the start.
struct SourceTotals {
  uint64_t samples = 0;
  uint64_t weight = 0;            // of samples on the CPU: nanoseconds that the target ran
  uint64_t kernel_ns = 0;         // CPU time that our programs took in the kernel
  bool is_limit_reached = false;  // max_samples
  // What was counted beside being sampled, where the source can: samples are scaled to it.
  std::optional<uint64_t> events;
  uint64_t lost_ends = 0;                   // of threads: what they had run nobody knows
  std::map<std::string, uint64_t> losses;   // by reason
  std::map<std::string, uint64_t> figures;  // worth knowing, no loss: all waits, also those that no record stands for
};

class SampleSource {
 public:
  virtual ~SampleSource() = default;
  virtual std::string_view tier() const = 0;  // "ebpf", "perf", "signal", "stop", "memory"
  virtual Result<> start() = 0;
  virtual void stop() = 0;  // no sample is taken afterwards; what is there can still be collected. Idempotent.
  virtual Result<> set_period(uint64_t period) = 0;
  virtual Result<> add_process(pid_t pid) = 0;
  virtual void set_stack_mode(pid_t pid, StackMode mode) = 0;
  // What processes map comes as records; else they are asked when a stack passes through what nobody knows.
  virtual bool tells_mappings() const { return true; }
  // By frame pointers: where the code of the process itself lies.
  virtual void set_code_range(pid_t, uint64_t /*begin*/, uint64_t /*end*/) {}
  // Stacks are deeper than what is copied, and often so.
  virtual void want_deeper_stacks() {}
  // Its first samples decide how the others are taken: they should be looked at soon.
  virtual bool is_learning() const { return false; }
  virtual bool wants_stack_ends() const { return false; }
  virtual void set_stack_end(pid_t tid, uint64_t address) = 0;  // no more than up to there needs to be copied
  // Frames of an interpreter are to be found in this way; null: not any more.
  virtual bool can_walk() const { return false; }
  virtual void set_walker(pid_t, const atys_walker*) {}
  virtual void set_thread_state(pid_t /*tid*/, uint64_t /*address*/) {}
  // Code of an interpreter that goes on to be what it is; `code` is its address.
  virtual void set_lasting_code(pid_t, const atys_lasting&) {}
  // Where the threads of a process say what they work on; null: nowhere any more.
  virtual bool reads_contexts() const { return false; }
  virtual void set_context_place(pid_t, const atys_context_place*) {}
  // While little comes, it is enough to collect once a second: no process comes and goes meanwhile, and nothing runs over.
  virtual bool may_wait() const { return false; }
  virtual void collect(SampleSink& sink) = 0;
  // Hands over what was only counted in the kernel so far.
  virtual void collect_counts(SampleSink& sink) = 0;
  virtual void add_wakeups(std::vector<pollfd>& fds) const = 0;
  virtual SourceTotals totals() const = 0;
};

}  // namespace atys::capture::native
