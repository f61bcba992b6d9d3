// SPDX-License-Identifier: Apache-2.0
// Node.js: 18 to 24 are tested, and 12 as far as its native frames. Two ways to names of JavaScript functions, neither of
// them needs a change of the program:
//   perf map    the process writes one (node --perf-basic-prof): native samples get names, JavaScript among native and
//               kernel frames. Commands that we start are asked to (command_maps.h)
//   inspector   only where that was allowed: opened by SIGUSR1 for as long as the recording lasts, V8 samples itself
//               (node_recorder.h), from Node.js 14 on. Whoever may connect to the loopback interface may run code in the
//               process meanwhile: docs/decisions/0024-nodejs-without-a-door.md
// Other programs with V8 in them (Deno, Chromium, a server that embeds it) have the first way only.
#include <fmt/format.h>

#include <ctime>

#include "base/error_text.h"
#include "capture/node/command_maps.h"
#include "capture/node/node_recorder.h"
#include "capture/node/v8_names.h"
#include "capture/profiling_kernel.h"
#include "capture/target/detect.h"
#include "capture/target/process_files.h"
#include "linux/perf_map.h"
#include "linux/process.h"

namespace atys::capture {

namespace {

using namespace node;

std::string version(const symbolize::ElfFile& file, const FileSigns& signs, std::string_view) {
  int32_t major_number = 0;
  int32_t minor_number = 0;
  if (!read_number(file, signs, "_ZN2v88internal7Version6major_E", major_number) ||
      !read_number(file, signs, "_ZN2v88internal7Version6minor_E", minor_number))
    return {};
  return std::to_string(major_number) + "." + std::to_string(minor_number);
}

bool has_just_begun(pid_t pid) {
  constexpr time_t kSeconds = 10;
  const auto process = linux::read_process(pid);
  return process.ok() && linux::unix_time_of_start(process->start_time_ticks) + kSeconds >= ::time(nullptr);
}

// V8's samples are of time.
bool is_recorded(const profile::KindRow& kind) { return kind.has_rate; }

class NodeKernel final : public ProfilingKernel {
 public:
  std::string_view name() const override { return "node"; }
  const RuntimeSigns& signs() const override {
    static const RuntimeSigns kSigns{
        .name = "JavaScript (V8)",
        .files = {"libnode", "libv8"},
        .sections = {},
        .symbols = {"_ZN2v87Isolate10GetCurrentEv", "v8dbg_FirstNonstringType"},
        .version_symbols = {"_ZN2v88internal7Version6major_E", "_ZN2v88internal7Version6minor_E"},
        .version = version};
    return kSigns;
  }
  Outlook outlook(pid_t pid, const DetectedRuntime& runtime) const override;
  Result<Attachment> attach(const AttachRequest& request) const override;
  std::optional<JitName> split_jit_name(std::string_view text) const override;
  std::unique_ptr<CommandHelp> help_command(const RecordingPlan& plan) const override { return CommandMaps::of(plan); }
  bool undo(const TraceNote& note, bool is_alive) const override {
    return note.what == kOpenInspector ? undo_opening(note, is_alive) : note.what != kMapsOfCommand || undo_maps(note);
  }
};

constexpr std::string_view kWhatTheInspectorMeans =
    "whoever may connect to the loopback interface of the machine may run code in the process while it is open";

// A crash of the target is worse than any lack of names.
Result<> check_v8(const DetectedRuntime& runtime) {
  if (survives_profiling(runtime.version)) return {};
  return fail(
      ErrorCode::Unsupported,
      fmt::format("V8 {}, of a Node.js before 14, may crash when it profiles itself, and is not asked to", runtime.version),
      "start it with --perf-basic-prof, which names its functions without that");
}

Outlook NodeKernel::outlook(pid_t pid, const DetectedRuntime& runtime) const {
  if (linux::has_perf_map(pid))
    return {.shows = "JavaScript functions, files and their first lines among native and kernel frames, by its perf map",
            .limits =
                "functions that V8 interprets have no names of their own unless it was also started with "
                "--interpreted-frames-native-stack"};
  const auto process = look_at_process(pid, runtime.path);
  Result<> works = check_v8(runtime);
  if (works.ok()) works = process.ok() ? check_inspector(*process) : Result<>(process.error());
  if (!works.ok())
    return {.shows = "native and kernel frames",
            .limits = "frames of JavaScript functions are addresses: " + error_text(works.error()),
            .is_native_only = true};
  return {
      .shows =
          "native and kernel frames; with --allow-inspector JavaScript functions, files and lines of the main thread and "
          "of workers, sampled by V8 itself",
      .limits = fmt::format(
          "frames of JavaScript functions are addresses unless it was started with --perf-basic-prof, or its inspector "
          "may be opened (--allow-inspector): {}, and it writes some lines about a debugger to its standard error",
          kWhatTheInspectorMeans)};
}

// Unless the target is one process and no more.
bool has_company(const RecordingPlan& plan) {
  const auto* processes = std::get_if<ProcessTarget>(&plan.target);
  return plan.is_one_of_several || processes == nullptr || processes->pids.size() > 1;
}

std::string why_no_names(pid_t pid) {
  return fmt::format(
      "process {}: JavaScript functions have no names: start it with NODE_OPTIONS=\"--perf-basic-prof "
      "--interpreted-frames-native-stack\"; or say --allow-inspector: {}",
      pid, kWhatTheInspectorMeans);
}

Result<Attachment> NodeKernel::attach(const AttachRequest& request) const {
  Attachment attachment;
  if (linux::has_perf_map(request.pid)) return attachment;
  if (!request.plan->may_open_inspector) {
    const auto told = look_at_process(request.pid, request.runtime->path);
    // It may not have written any of it yet.
    if (!told.ok() || !told->options.writes_perf_map || !has_just_begun(request.pid))
      attachment.notes.push_back(why_no_names(request.pid));
    return attachment;
  }
  const profile::KindRow* kind = request.plan->kind.row;
  if (!is_recorded(*kind)) {
    attachment.notes.push_back("JavaScript functions are named in kinds " + profile::listed_kinds(is_recorded, " and ") +
                               " only");
    return attachment;
  }
  TRY(check_v8(*request.runtime));
  NodeProcess process = TRY(look_at_process(request.pid, request.runtime->path));
  process.v8_version = request.runtime->version;
  TRY(check_inspector(process));
  attachment.recorder =
      std::make_unique<NodeRecorder>(std::move(process), NodeRecording{.kind = kind,
                                                                       .hz = request.plan->hz,
                                                                       .has_company = has_company(*request.plan),
                                                                       .trace_folder = request.plan->trace_folder});
  attachment.notes.push_back(
      fmt::format("the inspector of Node.js is open meanwhile: {}; it writes \"Debugger listening\" and the like to its "
                  "standard error",
                  kWhatTheInspectorMeans));
  return attachment;
}

std::optional<JitName> NodeKernel::split_jit_name(std::string_view text) const {
  auto split = split_v8_name(text);
  if (!split) return {};
  return JitName{.function = std::move(split->function),
                 .file = split->file,
                 .start_line = split->line,
                 .frame_kind = split->file.empty() ? "native" : kJavaScriptKind};
}

}  // namespace

std::unique_ptr<ProfilingKernel> create_node_kernel() { return std::make_unique<NodeKernel>(); }

}  // namespace atys::capture
