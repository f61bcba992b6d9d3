// SPDX-License-Identifier: Apache-2.0
#include "capture/source_choice.h"

#include <algorithm>

#include "capture/detect.h"
#include "capture/native/ebpf_source.h"
#include "capture/native/no_source.h"
#include "capture/native/remote_source.h"
#include "capture/native/ring_source.h"
#include "capture/profiling_kernel.h"
#include "linux/event_names.h"
#include "linux/process.h"

namespace atys::capture {

namespace {

// An event on each thread of the target leaves all others alone, but is dearer than one on each CPU where there are many;
// and who may join the target is not known to it.
bool may_watch_threads(const RecordingPlan& plan, const TargetProcesses& target) {
  constexpr size_t kManyThreads = 256;
  if (!std::holds_alternative<CommandTarget>(plan.target) && !std::holds_alternative<ProcessTarget>(plan.target))
    return false;
  size_t threads = 0;
  for (const pid_t pid : target.pids())
    if (const auto listed = linux::list_threads(pid); listed.ok()) threads += listed->size();
  return threads <= kManyThreads;
}

Result<std::unique_ptr<native::SampleSource>> open_ebpf(const RecordingPlan& plan, const TargetProcesses& target,
                                                        uint64_t period_ns,
                                                        const std::optional<linux::NamedEvent>& event = std::nullopt) {
  const auto pids = target.pids();
  const bool is_of_processes = std::holds_alternative<ProcessTarget>(plan.target);
  return native::EbpfSource::open(
      {.only_listed_processes = !target.is_host(),
       .only_we_add = (is_of_processes && !target.with_children()) || std::holds_alternative<ServiceTarget>(plan.target),
       .only_process = is_of_processes && !target.with_children() && pids.size() == 1 ? pids.front() : 0,
       .with_children = target.with_children(),
       .with_cpu = !event && plan.kind.name != KindName::OffCpu,
       .with_waits = !event && plan.kind.name != KindName::Cpu,
       .event = event,
       .watches_threads = event && may_watch_threads(plan, target),
       .waits_for_exec = std::holds_alternative<CommandTarget>(plan.target),
       .period_ns = period_ns,
       .max_samples = plan.max_samples,
       .cache_folder = plan.cache_folder,
       .is_one_of_several = plan.is_one_of_several});
}

Result<std::unique_ptr<native::SampleSource>> open_rings(const RecordingPlan& plan, const TargetProcesses& target,
                                                         uint64_t period_ns) {
  return native::RingSource::open({.whole_host = target.is_host(),
                                   .with_children = target.with_children(),
                                   .event = plan.kind.event,
                                   .period = period_ns,
                                   .max_samples = plan.max_samples,
                                   .waits_for_exec = std::holds_alternative<CommandTarget>(plan.target)});
}

Result<std::unique_ptr<native::SampleSource>> open_memory(const RecordingPlan& plan, const TargetProcesses& target,
                                                          uint64_t period_ns) {
  if (plan.kind.name != KindName::Cpu || target.is_host() || std::holds_alternative<CommandTarget>(plan.target))
    return fail(ErrorCode::Unsupported, "the memory tier records the CPU time of processes that run already",
                "leave --tier out, or say --pid or --service");
  return native::RemoteSource::open({.period_ns = period_ns, .max_samples = plan.max_samples});
}

// An interpreter's frames are worth more than native ones without them.
bool is_all_interpreted(const TargetProcesses& target) {
  const auto pids = target.pids();
  return !pids.empty() && std::ranges::all_of(pids, [](pid_t pid) {
    const auto runtimes = detect_runtimes(pid);
    return runtimes.ok() && std::ranges::any_of(*runtimes, [](const DetectedRuntime& runtime) {
             return find_kernel(runtime.kernel)->reads_stacks();
           });
  });
}

Result<std::unique_ptr<native::SampleSource>> open_none(const RecordingPlan& plan) {
  if (std::holds_alternative<HostTarget>(plan.target) || std::holds_alternative<CommandTarget>(plan.target))
    return fail(ErrorCode::Unsupported, "kind " + plan.kind.text() + " is recorded by runtimes that run already",
                "start the command, then say --pid or --service");
  return std::unique_ptr<native::SampleSource>(std::make_unique<native::NoSource>());
}

Result<std::unique_ptr<native::SampleSource>> choose_for_event(const RecordingPlan& plan, const TargetProcesses& target,
                                                               uint64_t period_ns, std::vector<std::string>& notes) {
  const linux::NamedEvent event = TRY(linux::find_event(plan.kind.event));
  if (!event.skid.empty()) notes.push_back("event " + plan.kind.event + ": " + event.skid);
  if (plan.tier == Tier::Memory)
    return fail(ErrorCode::Unsupported, "the memory tier does not record events", "leave --tier out");
  if (plan.tier == Tier::Ebpf && !native::can_watch(event))
    return fail(ErrorCode::Unsupported, "the ebpf tier does not record " + plan.kind.text(),
                "leave --tier out, or say --tier perf");
  if (plan.tier == Tier::Perf || !native::can_watch(event)) return open_rings(plan, target, period_ns);
  auto source = open_ebpf(plan, target, period_ns, event);
  if (source.ok() || plan.tier == Tier::Ebpf) return source;
  auto rings = open_rings(plan, target, period_ns);
  if (rings.ok()) notes.push_back("tier perf instead of ebpf: " + source.error().message);
  return rings;
}

}  // namespace

Result<std::unique_ptr<native::SampleSource>> choose_source(const RecordingPlan& plan, const TargetProcesses& target,
                                                            uint64_t period_ns, std::vector<std::string>& notes) {
  if (is_of_runtimes(plan.kind)) return open_none(plan);
  const bool has_waits = plan.kind.name == KindName::OffCpu || plan.kind.name == KindName::Wall;
  if (plan.kind.name == KindName::Event) return choose_for_event(plan, target, period_ns, notes);
  if (plan.tier == Tier::Perf && has_waits)
    return fail(ErrorCode::Unsupported, "the perf tier does not record waits", "leave --tier out: waits need eBPF");
  if (plan.tier == Tier::Perf) return open_rings(plan, target, period_ns);
  if (plan.tier == Tier::Memory) return open_memory(plan, target, period_ns);
  auto source = open_ebpf(plan, target, period_ns);
  if (source.ok() || plan.tier == Tier::Ebpf || has_waits) return source;
  if (is_all_interpreted(target)) {
    auto memory = open_memory(plan, target, period_ns);
    if (memory.ok()) notes.push_back("tier memory instead of ebpf, no native frames: " + source.error().message);
    if (memory.ok()) return memory;
  }
  auto rings = open_rings(plan, target, period_ns);
  if (!rings.ok()) return rings;
  notes.push_back("tier perf instead of ebpf: " + source.error().message);
  return rings;
}

}  // namespace atys::capture
