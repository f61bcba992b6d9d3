// SPDX-License-Identifier: Apache-2.0
#include "capture/accounts/window_sums.h"

namespace atys::capture {

// The host is all that there is, and what it waits for is no CPU time.
WindowSums::WindowSums(const RecordingPlan& plan, bool values_are_ns)
    : has_accounts_(values_are_ns && !std::holds_alternative<HostTarget>(plan.target) && !is_of_runtimes(plan.kind) &&
                    !plan.kind.row->is_waiting()) {}

void WindowSums::set_tier(std::string_view tier) {
  has_accounts_ = has_accounts_ && tier != "memory";
  is_weight_exact_ = tier == "signal" || tier == "stop";
}

void WindowSums::add(pid_t pid) {
  if (has_accounts_) accounts_.add(pid);
}

void WindowSums::add_seen(pid_t pid) {
  if (has_accounts_ && !accounts_.knows(pid)) accounts_.add_new(pid);
}

void WindowSums::note_end(const native::EndedThread& thread) {
  if (has_accounts_) accounts_.note_end(thread);
}

CountedTime WindowSums::look(const native::SourceTotals& totals, const native::StackCollector& collector, uint64_t lasted_ns,
                             std::optional<uint64_t> command_cpu_ns) {
  CountedTime counted{.is_weight_exact = is_weight_exact_, .waited_ns = collector.waited(), .lasted_ns = lasted_ns};
  if (totals.events) counted.events = *totals.events - std::min(*totals.events, told_.events.value_or(0));
  if (!has_accounts_) return counted;
  // Where ends of threads were not told the account of those that are over is not known.
  if (totals.lost_ends == told_.lost_ends) counted.cpu_ns = accounts_.look();
  if (is_first_ && command_cpu_ns) {
    counted.all_cpu_ns = command_cpu_ns;
    complete(accounts_.alive(), counted);
  }
  return counted;
}

void WindowSums::next_window(const native::SourceTotals& totals) {
  is_first_ = false;
  accounts_.next_window();
  told_ = totals;
}

void WindowSums::begin_again(const native::SourceTotals& totals) {
  (void)accounts_.look();
  next_window(totals);
}

}  // namespace atys::capture
