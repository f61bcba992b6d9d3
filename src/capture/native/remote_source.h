// SPDX-License-Identifier: Apache-2.0
// Tier 3: reads the frames of interpreters from outside, where neither eBPF nor perf events are permitted, or to compare.
// Only processes with an interpreter have samples, and no native frames. A thread's CPU time is the Linux kernel's own
// figure: what it ran since its last sample is what the next one stands for, so sums are true whatever the rate.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/unique_fd.h"
#include "capture/native/sample_source.h"
#include "capture/walk_remote.h"
#include "reduce/random.h"

namespace atys::capture::native {

struct RemotePlan {
  uint64_t period_ns = 0;
  uint64_t max_samples = 0;  // 0: no limit
};

class RemoteSource final : public SampleSource {
 public:
  static Result<std::unique_ptr<SampleSource>> open(const RemotePlan& plan);

  std::string_view tier() const override { return "memory"; }
  Result<> start() override;
  void stop() override { timer_.reset(); }
  Result<> set_period(uint64_t period) override;
  Result<> add_process(pid_t pid) override;
  void set_stack_mode(pid_t, StackMode) override {}
  void set_stack_end(pid_t, uint64_t) override {}
  bool can_walk() const override { return true; }
  void set_walker(pid_t pid, const atys_walker* walker) override;
  void set_thread_state(pid_t tid, uint64_t address) override;
  void collect(SampleSink& sink) override;
  void collect_counts(SampleSink& sink) override;
  void add_wakeups(std::vector<pollfd>& fds) const override;
  SourceTotals totals() const override { return totals_; }

 private:
  struct Thread {
    uint64_t state = 0;
    UniqueFd run_time;        // schedstat
    UniqueFd activity;        // syscall: "running" where it runs
    uint64_t ran_ns = 0;      // when looked at the last time
    uint64_t pending_ns = 0;  // ran, but was never seen running since
    std::string comm;
    RemoteWalker walker;
  };
  struct Process {
    bool has_walker = false;
    atys_walker walker{};
    uint64_t told_ns = 0;  // of its CPU time: what there was before, and what was added since
    std::map<pid_t, Thread> threads;
  };

  explicit RemoteSource(const RemotePlan& plan) : plan_(plan), random_(clock_ns(CLOCK_MONOTONIC)) {}
  Result<> set_timer();
  void look_at(pid_t pid, Process& process, SampleSink& sink);
  bool look_at(pid_t pid, Process& process, pid_t tid, Thread& thread, SampleSink& sink);  // false: it has ended
  void sample(pid_t pid, Process& process, pid_t tid, Thread& thread, SampleSink& sink);
  void told(Process& process, uint64_t ns);

  RemotePlan plan_;
  UniqueFd timer_;
  uint64_t next_ns_ = 0;  // look, CLOCK_MONOTONIC
  reduce::Random random_;
  std::map<pid_t, Process> processes_;
  pid_t asked_for_ = 0;  // the process whose threads are being told
  uint64_t next_refresh_ns_ = 0;
  SourceTotals totals_;
  std::vector<atys_walked> frames_;
};

}  // namespace atys::capture::native
