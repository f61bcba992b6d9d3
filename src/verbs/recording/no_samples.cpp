// SPDX-License-Identifier: Apache-2.0
#include "verbs/recording/no_samples.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/strings.h"
#include "linux/process.h"
#include "linux/process_tree.h"
#include "profile/kinds.h"

namespace atys::verbs {

namespace {

constexpr double kNsPerSecond = 1e9;
constexpr uint64_t kBusyNs = 100'000'000;

std::string command_of(const linux::ProcessInfo& process) {
  constexpr size_t kLongest = 60;
  std::string text = joined(process.command_line, " ");
  if (text.empty()) text = process.comm;
  return text.size() > kLongest ? text.substr(0, kLongest) + "…" : text;
}

// Of what the target has started, the one that has used the most CPU time; empty: none has used any to speak of.
std::string busiest_child(const std::vector<pid_t>& pids) {
  linux::ProcessInfo busiest;
  for (const pid_t pid : linux::with_descendants(pids)) {
    if (std::ranges::find(pids, pid) != pids.end()) continue;
    if (auto process = linux::read_process(pid); process.ok() && process->cpu_time_ns > busiest.cpu_time_ns)
      busiest = process.take();
  }
  if (busiest.cpu_time_ns < kBusyNs) return {};
  return fmt::format("its child {} ({}) has used {:.1f} s of CPU so far: record its children too, or pid {}", busiest.pid,
                     command_of(busiest), static_cast<double>(busiest.cpu_time_ns) / kNsPerSecond, busiest.pid);
}

// In words that are right at a shell and for a tool: both call what to change a kind, a rate, a pid.
std::string to_see(std::string_view what, const profile::KindRow& kind) {
  return fmt::format("kind {} shows where it {}", kind.name, what);
}

std::string of_cpu(const capture::RecordingPlan& plan, double seconds, bool has_ended) {
  if (std::holds_alternative<capture::CommandTarget>(plan.target))
    return (has_ended ? fmt::format("the command ended after {:.3f} s and hardly used the CPU meanwhile", seconds)
                      : fmt::format("the command hardly used the CPU in {:.1f} s", seconds)) +
           "; sample more often (4999 Hz), or let it do more; " + to_see("waits", profile::waiting_kind());
  const auto* processes = std::get_if<capture::ProcessTarget>(&plan.target);
  if (processes != nullptr && !processes->with_children)
    if (const std::string child = busiest_child(processes->pids); !child.empty())
      return capture::describe(plan.target) + " did not run: " + child;
  return fmt::format("{} did not run on a CPU for {:.1f} s; {}; or record for longer", capture::describe(plan.target),
                     seconds, to_see("waits", profile::waiting_kind()));
}

}  // namespace

std::string why_there_are_no_samples(const capture::RecordingPlan& plan, const capture::Recorded& recorded) {
  const double seconds = static_cast<double>(recorded.use.elapsed_ns) / kNsPerSecond;
  const profile::KindRow& kind = *plan.kind.row;
  if (kind.is_cpu_time()) return "no samples: " + of_cpu(plan, seconds, recorded.reason == capture::EndReason::TargetEnded);
  if (kind.is_waiting())
    return fmt::format("no samples: {} did not wait in {:.1f} s; {}", capture::describe(plan.target), seconds,
                       to_see("computes", profile::default_kind()));
  if (!plan.kind.event.empty())
    return fmt::format("no samples: {} had no event {} in {:.1f} s; doctor lists those that this machine has",
                       capture::describe(plan.target), plan.kind.event, seconds);
  return fmt::format("no samples of kind {} in {:.1f} s of {}: record for longer, or another kind", plan.kind.text(),
                     seconds, capture::describe(plan.target));
}

}  // namespace atys::verbs
