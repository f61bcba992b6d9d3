// SPDX-License-Identifier: Apache-2.0
// Tier 2: samples through the rings of perf events. Works without eBPF, also for ordinary users on their own processes; and
// the way for events that are no clock: page faults, cache misses, tracepoints.
#pragma once

#include <unordered_map>

#include "capture/native/ring_stacks.h"
#include "capture/native/sample_source.h"
#include "capture/native/timer_periods.h"
#include "capture/walking/walk_remote.h"
#include "linux/event_names.h"
#include "linux/perf_ring.h"

namespace atys::capture::native {

struct RingPlan {
  bool whole_host = false;
  bool with_children = false;
  std::string event;    // empty: the CPU clock
  uint64_t period = 0;  // in ns; other events than clocks are sampled about as often, whatever their number, and counted
  uint64_t max_samples = 0;
  bool waits_for_exec = false;  // the process has been created but begins with its next exec
};

class RingSource final : public SampleSource, private RingStacks::System {
 public:
  static Result<std::unique_ptr<SampleSource>> open(const RingPlan& plan);

  std::string_view tier() const override { return "perf"; }
  Result<> start() override;
  void stop() override;
  Result<> set_period(uint64_t period) override;
  Result<> add_process(pid_t pid) override;
  void set_stack_mode(pid_t pid, StackMode mode) override { stacks_.set_stack_mode(pid, mode); }
  void set_stack_end(pid_t, uint64_t) override {}
  void want_deeper_stacks() override { wants_deeper_stacks_ = true; }
  bool is_learning() const override;
  // The interpreter's frames are read from outside when the sample arrives, which is a moment later.
  bool can_walk() const override { return !plan_.whole_host && event_.is_clock; }
  void set_walker(pid_t pid, const atys_walker* walker) override;
  void set_thread_state(pid_t tid, uint64_t address) override;
  void collect(SampleSink& sink) override;
  void collect_counts(SampleSink&) override {}
  void add_wakeups(std::vector<pollfd>& fds) const override;
  SourceTotals totals() const override;

 private:
  RingSource(const RingPlan& plan, linux::NamedEvent event);
  void use_timers(size_t timers);
  linux::PerfAttributes attributes(size_t timer) const;
  Result<> open_event(linux::PerfPlace place);
  Result<> open_event(linux::PerfPlace place, size_t timer);
  linux::PerfCount count_now() const;
  uint64_t events() const;
  Result<> map_ring(int cpu, int fd);
  Result<> watch_all_processes();
  Result<> watch_threads(pid_t pid);
  Result<> open_again();
  void refresh_interpreters(SampleSink& sink);
  std::string thread_name(pid_t pid, pid_t tid) override;
  void add_walk(RawSample& raw) override;
  void take_more() override;

  RingPlan plan_;
  linux::NamedEvent event_;
  bool is_user_only_ = false;  // the system does not let us see the kernel
  bool is_started_ = false;
  bool is_stopped_ = false;
  bool wants_deeper_stacks_ = false;
  uint32_t stack_bytes_ = 0;  // that a sample copies
  size_t timers_ = 1;         // of a clock, for each thing that is watched
  TimerFactors factors_{};
  linux::PerfCount counted_before_;  // by events that are closed
  std::vector<UniqueFd> events_;
  std::vector<UniqueFd> ring_owners_;               // stopped; events of another period have taken their place
  std::unordered_map<int, linux::PerfRing> rings_;  // by CPU
  std::unordered_map<int, int> ring_fds_;
  RingStacks stacks_;
  struct Interpreted {
    uint64_t state = 0;
    RemoteWalker walker;
  };
  std::unordered_map<pid_t, atys_walker> walkers_;      // by process
  std::unordered_map<pid_t, Interpreted> interpreted_;  // by thread
  std::vector<atys_walked> walked_;
  uint64_t next_refresh_ns_ = 0;
};

}  // namespace atys::capture::native
