// SPDX-License-Identifier: Apache-2.0
// What the rings of perf events tell, told on as stacks: records in, calls of a sink out, in the order of time as far as one
// batch can tell. The records may be anything: what makes no sense is counted, and nothing is read beyond them.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "capture/native/sample_source.h"

namespace atys::capture::native {

class RingStacks {
 public:
  struct Rules {
    bool whole_host = false;
    bool with_children = false;
    bool is_clock = true;
    uint64_t max_samples = 0;  // 0: no limit
    pid_t own_pid = 0;         // who records is not recorded with everybody else
  };
  // What records do not say and the system has to be asked for.
  class System {
   public:
    virtual ~System() = default;
    virtual std::string thread_name(pid_t pid, pid_t tid) = 0;  // empty: not known
    virtual void add_walk(RawSample& sample) = 0;               // frames of an interpreter
    virtual void take_more() = 0;                               // now and then: the rings fill meanwhile
  };

  explicit RingStacks(const Rules& rules) : rules_(rules) {}

  // `records` hold samples of all processes: those of others than the targets are passed over.
  void see_all(bool all) { sees_all_ = all; }
  bool sees_all() const { return sees_all_; }
  // The process that has the number at that time.
  void add_target(pid_t pid, uint64_t now_ns) { targets_[pid] = now_ns; }
  // By process: since when.
  const std::unordered_map<pid_t, uint64_t>& targets() const { return targets_; }
  void set_stack_mode(pid_t pid, StackMode mode);
  // So many clocks tick side by side for each thing that is watched.
  void set_timers(size_t timers) { timers_ = timers; }

  // Keeps a copy of a record until it is handed over; at the latest at the call after the next one, for what comes while a
  // batch is handed over waits for the next.
  void take(std::span<const std::byte> record) { next_batch_.add(record); }
  void count_loss(const char* reason) { ++totals_.losses[reason]; }
  bool is_full() const;  // the rings may wait: what they lose the Linux kernel counts
  bool has_taken() const { return !next_batch_.pieces.empty(); }
  void hand_over(SampleSink& sink, System& system);

  const SourceTotals& totals() const { return totals_; }

 private:
  // Copies of records, so that the rings have room again.
  struct Batch {
    std::vector<std::byte> bytes;
    std::vector<std::pair<size_t, size_t>> pieces;  // where each begins, and its size
    void add(std::span<const std::byte> record);
    void clear();
  };
  std::vector<linux::PerfRecord> parse_batch();
  void hand_over_sample(const linux::PerfSample& sample, SampleSink& sink, System& system);
  bool is_wanted(pid_t pid) const;
  RawSample raw_of(const linux::PerfSample& sample) const;
  void follow(const linux::PerfRecord& record);
  void follow_fork(const linux::ForkRecord& fork, uint64_t time_ns);
  std::string_view comm_of(pid_t pid, pid_t tid, System& system);
  uint64_t weight_of(const linux::PerfSample& sample) const;

  const Rules rules_;
  bool sees_all_ = false;
  size_t timers_ = 1;
  std::unordered_map<pid_t, uint64_t> targets_;
  std::unordered_set<pid_t> by_frame_pointer_;    // processes whose stacks are better followed than copied
  std::unordered_map<pid_t, std::string> comms_;  // by thread
  SourceTotals totals_;
  Batch batch_;
  Batch next_batch_;
};

}  // namespace atys::capture::native
