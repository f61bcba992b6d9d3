// SPDX-License-Identifier: Apache-2.0
#include "capture/source_choice.h"

#include <algorithm>
#include <cerrno>

#include "capture/native/ebpf_source.h"
#include "capture/native/look_source.h"
#include "capture/native/no_source.h"
#include "capture/native/ring_source.h"
#include "capture/profiling_kernel.h"
#include "capture/target/detect.h"
#include "linux/allowance.h"
#include "linux/call_filter.h"
#include "linux/event_names.h"
#include "linux/perf_events.h"
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
       .with_cpu = plan.kind.row->computes,
       .with_waits = plan.kind.row->waits,
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
  if (target.is_host())
    return fail(ErrorCode::Unsupported, "the memory tier records processes, not the whole host",
                "leave --tier out, or say --pid, --service or -- COMMAND");
  return native::LookSource::open({.tier = "memory",
                                   .period_ns = period_ns,
                                   .max_samples = plan.max_samples,
                                   .with_children = target.with_children(),
                                   .with_cpu = plan.kind.row->computes,
                                   .with_waits = plan.kind.row->waits});
}

bool is_command(const RecordingPlan& plan) { return std::holds_alternative<CommandTarget>(plan.target); }

// Where our library cannot be in a program, a filter must let us stop its threads.
Result<> check_stops(const RecordingPlan& plan) {
  if (!linux::is_refusal(linux::answer_to_nonsense(linux::SystemCall::Ptrace))) return {};
  const auto* command = std::get_if<CommandTarget>(&plan.target);
  if (command == nullptr || command->arguments.empty())
    return linux::fail_refused("stop threads", {.call = linux::SystemCall::Ptrace, .error = EPERM});
  const preload::Preload preload = preload::judge_command(command->arguments[0]);
  return linux::fail_refused(
      "record " + command->arguments[0] + ", which no library can be preloaded into (" + preload::explain(preload) + ")",
      {.call = linux::SystemCall::Ptrace, .error = EPERM, .is_of_child = true});
}

bool is_with_sanitizer(const RecordingPlan& plan) {
  const auto* command = std::get_if<CommandTarget>(&plan.target);
  return command != nullptr && !command->arguments.empty() &&
         preload::judge_command(command->arguments[0]) == preload::Preload::HasToBeFirst;
}

// By our library in it, and by stops where it cannot have it.
Result<std::unique_ptr<native::SampleSource>> open_looks(const RecordingPlan& plan, const TargetProcesses& target,
                                                         uint64_t period_ns, std::unique_ptr<preload::SharedSpace> space) {
  if (plan.tier == Tier::Signal && space == nullptr)
    return fail(ErrorCode::Unsupported, "the signal tier records commands that a library can be preloaded into",
                "leave --tier out, or say -- COMMAND of a dynamically linked program");
  const bool may_stop = is_command(plan) || plan.may_pause;
  if (space == nullptr) TRY(check_stops(plan));
  if (space == nullptr && is_with_sanitizer(plan))
    return fail(
        ErrorCode::Unsupported,
        "a program with a sanitizer wants to be loaded first and stops its own threads: nothing is left to record it by",
        "build it without, or capture with rights: atys doctor");
  return native::LookSource::open({.tier = space != nullptr ? "signal" : "stop",
                                   .period_ns = period_ns,
                                   .max_samples = plan.max_samples,
                                   .with_children = target.with_children(),
                                   .may_stop = may_stop,
                                   .with_cpu = plan.kind.row->computes,
                                   .with_waits = plan.kind.row->waits,
                                   .space = std::move(space)});
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

// As ordinary users may.
Result<> check_perf_events() {
  linux::PerfAttributes attributes = linux::cpu_clock_attributes(10'000'000);
  attributes.disabled = attributes.exclude_kernel = attributes.exclude_hv = 1;
  TRY(linux::open_perf_event(attributes, {.pid = 0, .cpu = -1}, "the CPU clock"));
  return {};
}

// Its frames are seen by who is in the program with it.
bool is_interpreter(const RecordingPlan& plan) {
  const auto* command = std::get_if<CommandTarget>(&plan.target);
  if (command == nullptr || command->arguments.empty()) return false;
  const std::string program = preload::program_of(command->arguments);
  return std::ranges::any_of(profiling_kernels(), [&](const auto& kernel) {
    return kernel->reads_stacks() &&
           std::ranges::any_of(kernel->signs().programs, [&](std::string_view begin) { return program.starts_with(begin); });
  });
}

// What shows most of the target truly.
Result<std::unique_ptr<native::SampleSource>> choose_without_ebpf(const RecordingPlan& plan, const TargetProcesses& target,
                                                                  uint64_t period_ns,
                                                                  std::unique_ptr<preload::SharedSpace> space) {
  const bool has_waits = plan.kind.row->waits;
  if (plan.kind.row->is_waiting()) return open_memory(plan, target, period_ns);
  if (has_waits && !is_command(plan) && !plan.may_pause) return open_memory(plan, target, period_ns);
  const auto perf = check_perf_events();
  if (perf.ok() && !has_waits && !(space != nullptr && is_interpreter(plan))) return open_rings(plan, target, period_ns);
  if (is_command(plan) || plan.may_pause) return open_looks(plan, target, period_ns, std::move(space));
  if (!target.is_host() && is_all_interpreted(target)) return open_memory(plan, target, period_ns);
  if (target.is_host() || perf.ok()) return open_rings(plan, target, period_ns);
  return fail(perf.error().code, perf.error().message,
              "say --allow-pause: its threads are stopped for a moment for each sample; " + perf.error().hint);
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

// What the right to something better would add. Where a thread waits is seen with all its frames.
std::string missing_in(std::string_view tier, const profile::KindRow& kind) {
  if (tier == "memory" && kind.is_cpu_time()) return ", no native frames";
  return tier == "perf" ? "" : ", no frames of the kernel";
}

}  // namespace

std::unique_ptr<preload::SharedSpace> space_for_command(const RecordingPlan& plan) {
  const auto* command = std::get_if<CommandTarget>(&plan.target);
  if (command == nullptr || command->arguments.empty()) return nullptr;
  if (plan.tier != Tier::Auto && plan.tier != Tier::Signal) return nullptr;
  if (preload::judge_command(command->arguments[0]) != preload::Preload::Works) return nullptr;
  for (const auto call : {linux::SystemCall::SignalThread, linux::SystemCall::MemfdCreate})
    if (linux::is_refusal(linux::answer_to_nonsense(call))) return nullptr;
  auto space = preload::SharedSpace::create();
  return space.ok() ? space.take() : nullptr;
}

Result<std::unique_ptr<native::SampleSource>> choose_source(const RecordingPlan& plan, const TargetProcesses& target,
                                                            uint64_t period_ns, std::unique_ptr<preload::SharedSpace> space,
                                                            std::vector<std::string>& notes) {
  if (is_of_runtimes(plan.kind)) return open_none(plan);
  const bool has_waits = plan.kind.row->waits;
  if (plan.kind.row->recorded_by == profile::KindRow::RecordedBy::Event)
    return choose_for_event(plan, target, period_ns, notes);
  if (plan.tier == Tier::Perf && has_waits)
    return fail(ErrorCode::Unsupported, "the perf tier does not record waits",
                "leave --tier out: the best tier that records them is chosen");
  if (plan.tier == Tier::Perf) return open_rings(plan, target, period_ns);
  if (plan.tier == Tier::Memory) return open_memory(plan, target, period_ns);
  if (plan.tier == Tier::Signal || plan.tier == Tier::Stop) return open_looks(plan, target, period_ns, std::move(space));
  auto source = open_ebpf(plan, target, period_ns);
  if (source.ok() || plan.tier == Tier::Ebpf || (has_waits && target.is_host())) return source;
  auto other = choose_without_ebpf(plan, target, period_ns, std::move(space));
  if (other.ok())
    notes.push_back("tier " + std::string((*other)->tier()) + " instead of ebpf" +
                    missing_in((*other)->tier(), *plan.kind.row) + ": " + source.error().message);
  return other;
}

}  // namespace atys::capture
