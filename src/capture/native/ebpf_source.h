// SPDX-License-Identifier: Apache-2.0
// Tier 1: a BPF program on a timer of each CPU (sampler.bpf.c).
#pragma once

#include <array>
#include <optional>

#include "capture/native/cpu_timers.h"
#include "capture/native/event_watch.h"
#include "capture/native/program_cost.h"
#include "capture/native/sample_source.h"
#include "capture/native/sampler_records.h"
#include "capture/native/sampler_stacks.h"
#include "capture/native/sideband.h"
#include "capture/native/told_processes.h"
#include "linux/bpf_object.h"

namespace atys::capture::native {

struct EbpfPlan {
  bool only_listed_processes = true;  // false: every process of the host
  bool only_we_add = false;           // no process joins that we do not tell of
  pid_t only_process = 0;             // not 0: the list is this one, and stays
  bool with_children = false;         // processes that listed ones start
  bool with_cpu = true;
  bool with_waits = false;
  std::optional<linux::NamedEvent> event;  // in the place of both
  bool watches_threads = false;            // events are on those of the listed processes, not on each CPU
  bool waits_for_exec = false;             // the process has been created but begins with its next exec
  uint64_t period_ns = 0;    // of samples on the CPU; waits as long are recorded for certain, shorter ones in proportion
  uint64_t max_samples = 0;  // 0: no limit
  std::string cache_folder;  // empty: none
  bool is_one_of_several = false;  // recordings of this process at once: their buffers add up

  // Nothing comes and goes but threads, and of those the sampler tells at once.
  bool may_wait() const { return only_we_add && !with_children && !with_waits && !event; }
};

class EbpfSource final : public SampleSource {
 public:
  static Result<std::unique_ptr<SampleSource>> open(const EbpfPlan& plan);

  std::string_view tier() const override { return "ebpf"; }
  Result<> start() override;
  void stop() override;
  Result<> set_period(uint64_t period) override;
  Result<> add_process(pid_t pid) override;
  void set_stack_mode(pid_t pid, StackMode mode) override;
  bool is_learning() const override { return !stacks_.has_handed_over(); }  // it tells which process is how to be looked at
  bool reads_contexts() const override { return true; }
  void set_context_place(pid_t pid, const atys_context_place* place) override { processes_->set_context_place(pid, place); }
  void set_code_range(pid_t pid, uint64_t begin, uint64_t end) override { processes_->set_code_range(pid, begin, end); }
  bool wants_stack_ends() const override { return true; }
  void set_stack_end(pid_t tid, uint64_t address) override;
  bool can_walk() const override { return true; }
  void set_walker(pid_t pid, const atys_walker* walker) override { processes_->set_walker(pid, walker); }
  void set_thread_state(pid_t tid, uint64_t address) override;
  void set_lasting_code(pid_t pid, const atys_lasting& code) override;
  bool may_wait() const override { return plan_.may_wait(); }
  void collect(SampleSink& sink) override;
  void collect_counts(SampleSink& sink) override;
  void add_wakeups(std::vector<pollfd>& fds) const override;
  SourceTotals totals() const override;

 private:
  using Counters = std::array<atys_counters, ATYS_COUNTER_SLOTS>;
  using LastingCode = std::array<atys_lasting, ATYS_LASTING>;

  EbpfSource(const EbpfPlan& plan, linux::BpfObject object, Sideband sideband)
      : plan_(plan),
        object_(std::move(object)),
        sideband_(std::move(sideband)),
        cost_(plan.with_waits || plan.event),
        stacks_(plan.with_cpu, plan.with_waits) {}
  bool are_counts_empty() const;
  void cut_waits(SampleSink& sink);
  void spare_fast_switchers();
  atys_counters counters() const;

  EbpfPlan plan_;
  linux::BpfObject object_;
  // In memory shared with the programs.
  uint64_t* period_ns_ = nullptr;
  uint64_t* since_ns_ = nullptr;
  const Counters* counters_ = nullptr;
  LastingCode* lasting_ = nullptr;
  std::unique_ptr<ToldProcesses> processes_;
  Sideband sideband_;
  ProgramCost cost_;
  std::optional<linux::BpfRing> ring_;
  std::optional<CpuTimers> timers_;
  std::optional<EventWatch> events_;
  bool is_stopped_ = false;
  bool takes_late_stacks_ = false;  // at the end of system calls
  uint64_t waits_before_ = 0;
  uint64_t looked_at_waits_ns_ = 0;
  bool second_map_is_used_ = false;
  size_t stacks_at_swap_ = 0;  // that were counted in the kernel by then
  uint64_t full_at_swap_ = 0;  // samples that had found the ring full by then
  SamplerStacks stacks_;
  std::vector<linux::PerfRecord> process_records_;  // of one call of collect; a member only to keep its memory
};

}  // namespace atys::capture::native
