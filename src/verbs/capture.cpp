// SPDX-License-Identifier: Apache-2.0
#include "verbs/capture.h"

#include "capture/recording.h"
#include "linux/process_tree.h"
#include "store/library.h"
#include "verbs/profiles/place_for_output.h"
#include "verbs/recording/adaptive.h"
#include "verbs/recording/no_samples.h"
#include "verbs/recording/recording_plan.h"

namespace atys::verbs {

namespace {

constexpr double kHighestHz = 100'000;
constexpr size_t kRows = 10;
constexpr int kStepMs = 1000;
constexpr int kProgressMs = 250;

size_t targets_named(const CaptureRequest& request) {
  return static_cast<size_t>(!request.command.empty()) + static_cast<size_t>(!request.pids.empty()) +
         static_cast<size_t>(!request.service.empty()) + static_cast<size_t>(!request.cgroup.empty()) +
         static_cast<size_t>(request.host);
}

Result<capture::Target> target_of(const CaptureRequest& request) {
  if (targets_named(request) == 0)
    return fail(ErrorCode::InvalidInput, "nothing to record",
                "name a target: -- COMMAND, --pid, --service, --cgroup or --host");
  if (targets_named(request) > 1)
    return fail(ErrorCode::InvalidInput, "more than one target",
                "name one of -- COMMAND, --pid, --service, --cgroup, --host");
  for (const int pid : request.pids)
    if (pid <= 0)
      return fail(ErrorCode::InvalidInput, "no process has the number " + std::to_string(pid), "name pids above 0");
  if (!request.command.empty()) return capture::Target(capture::CommandTarget{request.command});
  if (!request.service.empty())
    return capture::Target(capture::ServiceTarget{TRY(capture::ServiceRule::parse(request.service))});
  if (!request.cgroup.empty()) return capture::Target(capture::CgroupTarget{request.cgroup});
  if (request.host) return capture::Target(capture::HostTarget{});
  return capture::Target(capture::ProcessTarget{{request.pids.begin(), request.pids.end()}, request.children});
}

}  // namespace

double overhead_cap(const CaptureRequest& request) {
  constexpr double kOfCommand = 0.05;
  constexpr double kOfWhatRuns = 0.01;
  return request.max_overhead.value_or(request.command.empty() ? kOfWhatRuns : kOfCommand);
}

const char* to_string(CapturePlan plan) { return plan == CapturePlan::Adaptive ? "adaptive" : "fixed"; }

Result<CapturePlan> capture_plan_of(const std::string& name) {
  for (const CapturePlan plan : {CapturePlan::Fixed, CapturePlan::Adaptive})
    if (name == to_string(plan)) return plan;
  return fail(ErrorCode::InvalidInput, "no plan is called '" + name + "'", "there are fixed and adaptive");
}

Result<capture::RecordingPlan> plan_of(const CaptureRequest& request) {
  if (!(request.hz > 0 && request.hz <= kHighestHz))
    return fail(ErrorCode::InvalidInput, "a rate must be above 0 and at most 100000 Hz", "99 is a good one");
  if (const double cap = overhead_cap(request); !(cap > 0 && cap <= 1))
    return fail(ErrorCode::InvalidInput, "an overhead must be above 0 and at most 100 %",
                "1% is the default, 5% for a command");
  if (request.children && request.pids.empty())
    return fail(ErrorCode::InvalidInput, "--children goes with --pid",
                "a command, a control group and the host have their children with them; a service has its rule");
  return capture::RecordingPlan{.target = TRY(target_of(request)),
                                .kind = TRY(capture::Kind::parse(request.kind)),
                                .tier = TRY(capture::parse_tier(request.tier)),
                                .may_pause = request.allow_pause,
                                .may_open_inspector = request.allow_inspector,
                                .hz = request.hz,
                                .duration_ns = request.duration_ns,
                                .max_overhead = overhead_cap(request),
                                .max_samples = request.max_samples,
                                .cache_folder = store::Library::open_default().home() + "/cache",
                                .trace_folder = store::Library::open_default().home() + "/traces",
                                .may_ask_debuginfod = request.debuginfod,
                                .labels = request.labels};
}

namespace {

Result<capture::Recorded> run(const CaptureRequest& request, const capture::RecordingPlan& plan, LeftCommand& left) {
  auto recording = TRY(capture::Recording::open(plan));
  TRY(recording->start());
  capture::Recorded recorded;
  while (recorded.reason == capture::EndReason::Running) {
    recorded.reason = recording->step(request.on_progress ? kProgressMs : kStepMs);
    if (request.on_progress) request.on_progress(recording->elapsed_seconds(), recording->samples());
  }
  recorded.profile = recording->finish();
  recorded.use = recording->use();
  recorded.tier = recording->tier();
  recorded.notes = recording->notes();
  left = leave_command(*recording, request.stop_command);
  recorded.exit_status = left.exit_status;
  return recorded;
}

void fill_budget(const CaptureRequest& request, const capture::RecordingUse& use, CaptureAnswer& answer) {
  answer.asked_hz = request.hz;
  answer.asked_overhead_percent = overhead_cap(request) * 100;
  answer.asked_duration_ns = request.duration_ns;
  answer.asked_samples = request.max_samples;
  for (const auto& grant : use.grants) answer.grants.push_back({static_cast<double>(grant.elapsed_ns) / 1e9, grant.hz});
  answer.duration_ns = use.elapsed_ns;
  answer.samples = use.samples;
  answer.setup_cpu_ns = use.setup_cpu_ns;
  answer.own_cpu_ns = use.own_cpu_ns;
  answer.first_looks_cpu_ns = use.first_looks_cpu_ns;
  answer.kernel_cpu_ns = use.kernel_cpu_ns;
  answer.finish_cpu_ns = use.finish_cpu_ns;
  answer.target_cpu_ns = use.target_cpu_ns;
  answer.peak_bytes = use.peak_bytes;
  answer.overhead_percent = use.overhead * 100;
}

double total_of(const Profile& profile) {
  double total = 0;
  for (const int64_t value : profile.samples.values(profile.default_value_column())) total += static_cast<double>(value);
  return total;
}

}  // namespace

std::vector<std::string> kind_names() { return capture::kind_names(); }
std::vector<std::string> tier_names() { return capture::tier_names(); }

Result<> check(const CaptureRequest& request) {
  TRY(choose_format(request.output));
  TRY(plan_of(request));
  if (request.max_tokens) TRY(bounds_of({.max_tokens = request.max_tokens}));
  if (request.stop_command && request.command.empty())
    return fail(ErrorCode::InvalidInput, "--stop ends a command that we started",
                "leave it out; processes of others are never ended");
  return {};
}

Result<CaptureAnswer> capture(const CaptureRequest& request) {
  capture::RecordingPlan plan = TRY(plan_of(request));
  plan.tells_phases = plan.kind.row->is_cpu_time();
  TRY(choose_format(request.output));
  TRY(check_place(request.output.path));
  if (request.stop_command) linux::adopt_orphans();  // what it started is found then, also when whoever started that is gone
  CaptureAnswer answer;
  answer.plan = request.plan;
  capture::Recorded recorded;
  if (request.plan == CapturePlan::Adaptive) {
    AdaptiveRun adaptive = TRY(run_adaptive(request, plan));
    recorded = std::move(adaptive.recorded);
    answer.steps = std::move(adaptive.steps);
    answer.command = std::move(adaptive.command);
  } else {
    recorded = TRY(run(request, plan, answer.command));
  }
  answer.tier = recorded.tier;
  answer.ended = recorded.reason;
  answer.exit_status = recorded.exit_status;
  answer.notes = recorded.notes;
  answer.written = TRY(write_output(recorded.profile, request.output));
  fill_budget(request, recorded.use, answer);
  if (total_of(recorded.profile) == 0) answer.notes.push_back(why_there_are_no_samples(plan, recorded));
  const std::string reference = answer.written.id.empty() ? answer.written.path : answer.written.id.substr(0, 12);
  View view{.form = reduce::Form::Brief};
  view.top = kRows;
  view.max_tokens = request.max_tokens;
  const ViewedProfile viewed = TRY(view_of({std::move(recorded.profile), answer.written.id, answer.written.path}, view));
  answer.summary = TRY(summarize(viewed, reference, view));
  return answer;
}

}  // namespace atys::verbs
