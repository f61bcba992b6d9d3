// SPDX-License-Identifier: Apache-2.0
// Java on HotSpot machines, JDK 8 and later. With async-profiler the machine samples itself; without, the native kernel
// samples and the machine names its compiled methods.
#include <fmt/format.h>

#include <algorithm>

#include "capture/java/agent_session.h"
#include "capture/java/async_profiler.h"
#include "capture/java/java_process.h"
#include "capture/java/perf_map.h"
#include "capture/java/version.h"
#include "capture/profiling_kernel.h"
#include "symbolize/elf_file.h"

namespace atys::capture {

namespace {

using namespace java;

constexpr int kFirstToWarn = 21;  // JEP 451

constexpr const char* kHowToGet =
    "async-profiler shows interpreted and inlined methods and needs no frame pointers: `atys doctor java` says how to get "
    "it";

uint16_t machine_of(const std::string& path) {
  const auto file = symbolize::ElfFile::open(path);
  return file.ok() ? file->machine() : 0;
}

Result<AgentLibrary> library_for(pid_t pid) {
  return find_agent_library(machine_of(fmt::format("/proc/{}/exe", pid)), AgentPlaces::of_environment());
}

// The machine knows the places of all instructions only in code that it compiles while the agent is there.
std::string inexact_places(const JavaProcess& process) {
  return fmt::format(
      "in Java code of process {} that was compiled before, time in an inlined method may be told of another one inlined "
      "beside it; -XX:+UnlockDiagnosticVMOptions -XX:+DebugNonSafepoints at its start makes that exact",
      process.info.pid);
}

std::string without_frame_pointers() {
  return "it runs without -XX:+PreserveFramePointer, so stacks end at the first compiled Java method: start it with that "
         "option to see who called it";
}

// What the native kernel shows with the machine's own list of methods.
Outlook outlook_without_agent(const JavaProcess& process, const std::string& why_no_agent) {
  Outlook outlook{.shows = "compiled Java methods by name among native and kernel frames, without lines", .limits = {}};
  outlook.limits = why_no_agent + "; interpreted methods are shown as the interpreter";
  if (!process.has(kFramePointers)) outlook.limits += "; " + without_frame_pointers();
  if (process.release() != 0 && process.release() < kFirstWithPerfMap) {
    outlook.shows = "native and kernel frames";
    outlook.limits = fmt::format(
        "{}; Java {} cannot write a list of its compiled methods (JDK {} was the first), so they are "
        "addresses",
        why_no_agent, process.release(), kFirstWithPerfMap);
    outlook.is_native_only = true;
  }
  outlook.limits += std::string("; ") + kHowToGet;
  return outlook;
}

std::string why_no_agent(const JavaProcess& process, const Error& error) {
  if (process.has(kDynamicAgents, true)) return error.message;
  return "the process takes no agents (-XX:-EnableDynamicAgentLoading)";
}

bool is_of_agent(const profile::KindRow& kind) { return std::ranges::count(agent_kinds(), kind.name) > 0; }

class JavaKernel final : public ProfilingKernel {
 public:
  std::string_view name() const override { return "java"; }

  const RuntimeSigns& signs() const override {
    static const RuntimeSigns signs{
        .name = "Java (HotSpot)", .files = {"libjvm.so"}, .symbols = {"gHotSpotVMStructs"}, .version = &version_of_file};
    return signs;
  }

  Outlook outlook(pid_t pid, const DetectedRuntime& runtime) const override {
    const auto process = look_at_java(pid, runtime);
    if (!process.ok())
      return {.shows = "native and kernel frames", .limits = process.error().message, .is_native_only = true};
    if (process->has(kDisableAttach))
      return {.shows = "native and kernel frames",
              .limits = "Java methods are not named: the process was started with -XX:+DisableAttachMechanism",
              .is_native_only = true};
    const auto library = library_for(pid);
    if (!library.ok() || !process->has(kDynamicAgents, true))
      return outlook_without_agent(*process, why_no_agent(*process, library.ok() ? Error{} : library.error()));
    return {.shows =
                "Java methods, files and lines (compiled, interpreted and inlined), native and kernel frames, by "
                "async-profiler " +
                library->place(),
            .limits = {},
            .is_native_only = false};
  }

  Result<Attachment> attach(const AttachRequest& request) const override {
    const JavaProcess process = TRY(look_at_java(request.pid, *request.runtime));
    auto library = library_for(request.pid);
    const bool can_record = agent_event(request.plan->kind, request.plan->hz).ok();
    if (library.ok() && can_record && process.has(kDynamicAgents, true))
      return with_agent(process, library.take(), *request.plan);
    if (is_of_runtimes(request.plan->kind))
      return fail(ErrorCode::Unsupported,
                  fmt::format("kind {} of Java needs async-profiler: {}", request.plan->kind.text(),
                              why_no_agent(process, library.ok() ? Error{} : library.error())),
                  library.ok() ? "" : library.error().hint);
    std::string why = "async-profiler records " + profile::listed_kinds(is_of_agent, " and ");
    if (can_record) why = why_no_agent(process, library.ok() ? Error{} : library.error());
    return without_agent(process, why, request.plan->trace_folder);
  }

  bool undo(const TraceNote& note, bool is_alive) const override {
    return note.what == kSession ? undo_session(note, is_alive) : note.what != kPerfMap || undo_perf_map(note, is_alive);
  }

  std::vector<KernelNeed> needs() const override {
    const auto library = find_agent_library(machine_of("/proc/self/exe"), AgentPlaces::of_environment());
    if (library.ok()) return {{.name = "async-profiler", .works = true, .detail = library->place(), .fix = {}}};
    return {{.name = "async-profiler",
             .works = false,
             .detail = library.error().message +
                       ": Java without it has compiled methods only, no lines, no alloc and lock profiles, and whole stacks "
                       "only with -XX:+PreserveFramePointer",
             .fix = library.error().hint}};
  }

 private:
  static Result<Attachment> with_agent(const JavaProcess& process, AgentLibrary library, const RecordingPlan& plan) {
    Attachment attachment;
    attachment.notes.push_back(fmt::format("Java of process {} is sampled by async-profiler, {}, inside the process",
                                           process.info.pid, library.place()));
    if (process.release() >= kFirstToWarn)
      attachment.notes.push_back(
          fmt::format("Java {} may print a warning about an agent loaded at run time (JEP 451) to its "
                      "standard error; -XX:+EnableDynamicAgentLoading keeps it quiet",
                      process.release()));
    if (plan.kind.row->account == profile::KindRow::Account::TimeSinceFirst)
      attachment.notes.push_back(
          "waits for locks are told when they are over: one that had begun before the recording, or was not over at its "
          "end, is "
          "not in it");
    if (!process.has(kExactPlaces, true)) attachment.notes.push_back(inexact_places(process));
    attachment.recorder = TRY(AsyncProfiler::create(process, std::make_unique<AgentLibrary>(std::move(library)), plan));
    return attachment;
  }

  static Result<Attachment> without_agent(const JavaProcess& process, const std::string& why,
                                          const std::string& trace_folder) {
    Attachment attachment;
    attachment.companion = TRY(PerfMapCompanion::create(process, trace_folder));
    const Outlook outlook = outlook_without_agent(process, why);
    attachment.notes.push_back(fmt::format("Java of process {}: {}; {}", process.info.pid, outlook.shows, outlook.limits));
    return attachment;
  }
};

}  // namespace

std::unique_ptr<ProfilingKernel> create_java_kernel() { return std::make_unique<JavaKernel>(); }

}  // namespace atys::capture
