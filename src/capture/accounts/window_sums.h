// SPDX-License-Identifier: Apache-2.0
// What was counted beside being sampled, window by window: the kernel's accounts of the processes of a recording, and what
// its source counted. Samples are scaled to it (true_sums.h).
#pragma once

#include "capture/accounts/cpu_accounts.h"
#include "capture/accounts/true_sums.h"
#include "capture/native/stack_collector.h"
#include "capture/recording_plan.h"

namespace atys::capture {

class WindowSums {
 public:
  // `values_are_ns`: samples stand for time, of which there is an account.
  WindowSums(const RecordingPlan& plan, bool values_are_ns);
  // Tier memory counts what it samples; samples of tiers signal and stop weigh what the kernel accounts for their threads.
  void set_tier(std::string_view tier);

  // A process of the target that runs already, or one that was first seen in a sample and began within the recording.
  void add(pid_t pid);
  void add_seen(pid_t pid);
  void note_end(const native::EndedThread& thread);

  // Of the window so far. `command_cpu_ns`: what a command used from its beginning to its end, with all that it waited for.
  CountedTime look(const native::SourceTotals& totals, const native::StackCollector& collector, uint64_t lasted_ns,
                   std::optional<uint64_t> command_cpu_ns);
  // The next window begins where it was looked at last.
  void next_window(const native::SourceTotals& totals);
  // It begins now.
  void begin_again(const native::SourceTotals& totals);

 private:
  bool has_accounts_;
  bool is_first_ = true;
  bool is_weight_exact_ = false;
  CpuAccounts accounts_;
  native::SourceTotals told_;  // when this window began
};

}  // namespace atys::capture
