// SPDX-License-Identifier: Apache-2.0
// Tier 1: a BPF program on a timer of each CPU (sampler.bpf.c).
#pragma once

#include <array>
#include <optional>
#include <unordered_map>

#include "capture/native/cpu_timers.h"
#include "capture/native/event_watch.h"
#include "capture/native/program_cost.h"
#include "capture/native/sample_source.h"
#include "capture/native/sampler_records.h"
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
  bool is_learning() const override { return !has_handed_over_; }
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
  struct KeyHash {
    size_t operator()(const atys_stack_key& key) const { return key.stack_hash ^ (uint64_t{key.tid} << 20); }
  };
  struct KeyEqual {
    bool operator()(const atys_stack_key& a, const atys_stack_key& b) const {
      return a.tgid == b.tgid && a.tid == b.tid && a.stack_hash == b.stack_hash;
    }
  };

  using Counters = std::array<atys_counters, ATYS_COUNTER_SLOTS>;
  using LastingCode = std::array<atys_lasting, ATYS_LASTING>;

  EbpfSource(const EbpfPlan& plan, linux::BpfObject object, Sideband sideband)
      : plan_(plan), object_(std::move(object)), sideband_(std::move(sideband)), cost_(plan.with_waits || plan.event) {}
  static bool read_record(std::span<const std::byte> bytes, atys_record& record, RawSample& sample);
  bool are_counts_empty() const;
  void end_wait(const atys_record& end, SampleSink& sink);
  void add_wait(RawSample& sample, const atys_record& wait, SampleSink& sink);
  uint64_t samples_of(uint64_t wait_ns) const;
  void cut_waits(SampleSink& sink);
  void cut_wait(const atys_cut& cut, SampleSink& sink);
  void spare_fast_switchers();
  atys_counters counters() const;
  void take_record(std::span<const std::byte> record);
  void hand_over(std::span<const std::byte> bytes, SampleSink& sink);
  static void hand_over_code(std::span<const std::byte> bytes, SampleSink& sink);

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
  bool has_handed_over_ = false;    // the first sample tells which process is how to be looked at
  bool takes_late_stacks_ = false;  // at the end of system calls
  uint64_t waits_before_ = 0;
  uint64_t looked_at_waits_ns_ = 0;
  bool second_map_is_used_ = false;
  size_t stacks_since_swap_ = 0;
  uint64_t full_at_swap_ = 0;  // samples that had found the ring full by then
  std::unordered_map<atys_stack_key, SampleSlot, KeyHash, KeyEqual> slots_;
  struct Waiting {
    uint64_t pair = 0;
    std::vector<std::byte> record;
  };
  std::unordered_map<uint32_t, Waiting> waiting_;    // by thread: how it left the CPU the last time
  std::unordered_map<uint64_t, SampleSlot> wakers_;  // of waits whose end has not come through yet

  // Of one call of collect; members only to keep their memory.
  std::vector<std::byte> arena_;
  std::vector<std::pair<size_t, size_t>> pieces_;
  std::vector<linux::PerfRecord> process_records_;
  std::vector<std::byte> waiting_stack_;
};

}  // namespace atys::capture::native
