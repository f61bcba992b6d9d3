// SPDX-License-Identifier: Apache-2.0
#include "verbs/controller.h"

#include <fmt/format.h>
#include <malloc.h>

#include "base/byte_sink.h"
#include "base/gzip.h"
#include "base/nearest.h"
#include "base/utc_time.h"
#include "fleet/clock_agreement.h"
#include "fleet/controller/doors.h"
#include "fleet/wire/grpc_link.h"
#include "fleet/wire/renewed_link.h"
#include "fleet/wire/token_in_clear.h"
#include "format/format.h"
#include "net/listen.h"
#include "reduce/anonymous.h"
#include "reduce/filter.h"
#include "store/library.h"
#include "store/open_store.h"
#include "verbs/profiles/data_folder.h"
#include "verbs/profiles/source_access.h"
#include "verbs/view/what_there_is.h"

namespace atys::verbs {

namespace {

constexpr size_t kMostTroubles = 10;
constexpr size_t kMostPoints = 10'000;

Result<std::unique_ptr<fleet::ControllerLink>> link_above(const ControllerRequest& request) {
  if (request.upstream.empty()) return std::unique_ptr<fleet::ControllerLink>();
  TRY(fleet::check_token_is_safe(request.upstream, request.upstream_token,
                                 request.upstream_tls || !request.upstream_authority.empty(), request.allows_token_in_clear,
                                 "use --upstream-tls", "say --insecure-token"));
  const auto open =
      [options = fleet::GrpcClientOptions{.address = request.upstream,
                                          .use_tls = request.upstream_tls,
                                          .tls = {.authority = request.upstream_authority}}](const std::string& token) {
        fleet::GrpcClientOptions with_token = options;
        with_token.token = token;
        return fleet::open_grpc_link(with_token);
      };
  TRY(open(request.upstream_token));  // what is wrong with the files of TLS is told at once
  return fleet::open_renewed_link(
      [token = request.upstream_token, read = request.read_upstream_token](bool was_refused) -> Result<std::string> {
        return was_refused && read ? read() : token;
      },
      open);
}

// Patterns may also be of the names that people are shown; who gets the profile gets its own.
Result<Profile> kept_by_shown_names(const Profile& profile, const reduce::FilterOptions& filter) {
  const Profile named = reduce::name_anonymous_functions(profile);
  Profile kept = TRY(reduce::filter(profile, named, filter));
  if (kept.samples.size() == 0 && profile.samples.size() > 0) return why_nothing(named, filter);
  return kept;
}

// What is wrong with the node itself, as it says or as its clock shows, and what to do.
std::string trouble_of(const fleet::NodeState& node) {
  std::string trouble = node.report.trouble;
  if (std::llabs(node.clock_ahead_ns.value_or(0)) > fleet::kClockToleranceNs)
    trouble = fmt::format("its clock is {} the controller's: {}{}{}", fleet::clock_difference(*node.clock_ahead_ns),
                          fleet::kClockFix, trouble.empty() ? "" : "; ", trouble);
  return trouble;
}

store::RetentionPolicy retention_of(const ControllerRequest& request) {
  store::RetentionPolicy policy;
  for (size_t level = 0; level < store::kLevels; ++level)
    if (request.keep_ns[level] != 0) policy.max_age_ns[level] = static_cast<int64_t>(request.keep_ns[level]);
  policy.max_bytes = request.keep_bytes;  // 0: a share of the disk
  return policy;
}

}  // namespace

std::string default_controller_folder() { return store::Library::open_default().home() + "/controller"; }

Result<std::unique_ptr<RunningController>> RunningController::start(const ControllerRequest& request) {
  // It stays: memory that one question needed is given back.
  ::mallopt(M_TRIM_THRESHOLD, 8 << 20);
  ::mallopt(M_MMAP_THRESHOLD, 1 << 20);
  ::mallopt(M_ARENA_MAX, 4);
  TRY(make_data_folder(request.data_folder));
  auto running = std::unique_ptr<RunningController>(new RunningController());
  running->audit_log_ = std::make_unique<fleet::AuditLog>(request.data_folder + "/audit.log");
  auto store = TRY(store::open_store(request.store.empty() ? "embedded:" + request.data_folder + "/store" : request.store));
  running->controller_ = TRY(fleet::Controller::open({.folder = request.data_folder,
                                                      .name = request.name,
                                                      .retention = retention_of(request),
                                                      .most_waiting_bytes = request.most_waiting_bytes,
                                                      .report_again_ns = request.report_again_ns,
                                                      .access = request.access,
                                                      .pass_on_interval_ns = static_cast<int64_t>(request.pass_on_ns),
                                                      .pass_on_grace_ns = static_cast<int64_t>(request.pass_on_grace_ns)},
                                                     std::move(store), TRY(link_above(request))));
  if (!request.grpc_address.empty()) net::raise_descriptor_limit();  // each agent keeps a connection
  if (!request.grpc_address.empty())
    running->grpc_ = TRY(fleet::GrpcServer::start({.address = request.grpc_address,
                                                   .access = request.access,
                                                   .tls = {request.tls_authority, request.tls_certificate, request.tls_key}},
                                                  fleet::grpc_methods(*running->controller_), running->controller_->door()));
  return running;
}

Result<ServicesAnswer> RunningController::services() {
  ServicesAnswer answer;
  store::Missing missing;
  for (store::ServiceEntry& entry : TRY(controller_->services(&missing)))
    answer.services.push_back({.service = std::move(entry.service),
                               .kinds = std::move(entry.kinds),
                               .versions = std::move(entry.versions),
                               .instances = entry.instances,
                               .windows = entry.windows,
                               .bytes = entry.bytes,
                               .first_ns = entry.first_ns,
                               .last_ns = entry.last_ns});
  answer.problems = std::move(missing.problems);
  return answer;
}

NodesAnswer RunningController::nodes() const {
  NodesAnswer answer{.now_ns = controller_->now_ns()};
  for (const fleet::NodeState& node : controller_->nodes()) {
    const fleet::AgentReport& report = node.report;
    NodeRow row{.node = report.node,
                .version = report.version,
                .metrics_address = report.metrics_address,
                .labels = report.labels,
                .is_away = node.is_away,
                .is_controller = fleet::claims_to_be_controller(report),
                .is_known = node.is_known,
                .first_ns = node.first_ns,
                .last_ns = node.last_ns,
                .started_ns = static_cast<int64_t>(report.started_ns),
                .cpu_ns = report.cpu_ns,
                .memory_bytes = report.memory_bytes,
                .spooled_bytes = report.spooled_bytes,
                .dropped_windows = report.dropped_windows,
                .dropped_by = report.dropped_by,
                .clock_ahead_ns = node.clock_ahead_ns.value_or(0),
                .trouble = trouble_of(node)};
    for (const fleet::TaskState& task : report.tasks)
      row.tasks.push_back({task.task, task.instances, task.windows, task.hz, task.overhead, task.trouble});
    answer.nodes.push_back(std::move(row));
  }
  return answer;
}

Result<NodesAnswer> RunningController::forget_node(const std::string& node, const Caller& caller) {
  const Result<> forgotten = controller_->forget_node(node);
  audit(caller, "forget", "node " + node, forgotten.ok() ? "done" : forgotten.error().message);
  if (!forgotten.ok()) return forgotten.error();
  return nodes();
}

TaskRow RunningController::row_of(const fleet::TaskEntry& entry, const std::vector<fleet::NodeState>& nodes) const {
  const int64_t now = controller_->now_ns();
  TaskRow row{.name = entry.task.name,
              .service = entry.task.service,
              .phase = to_string(entry.phase(now)),
              .nodes = entry.task.nodes,
              .applied_ns = entry.applied_ns,
              .ends_ns = entry.task.for_ns == 0 ? 0 : entry.applied_ns + static_cast<int64_t>(entry.task.for_ns),
              .is_from_above = entry.is_from_above,
              .text = entry.text};
  for (const fleet::NodeState& node : nodes) {
    if (node.is_away) continue;
    bool runs = false;
    for (const fleet::TaskState& state : node.report.tasks) {
      if (state.task != entry.task.name) continue;
      runs = true;
      row.instances += state.instances;
      row.windows += state.windows;
      if (!state.trouble.empty() && row.troubles.size() < kMostTroubles)
        row.troubles.push_back(node.report.node + ": " + state.trouble);
    }
    if (runs) ++row.runs_on;
  }
  return row;
}

TasksAnswer RunningController::one(const fleet::TaskEntry& entry, std::string done) const {
  TasksAnswer answer{.done = std::move(done)};
  answer.tasks.push_back(row_of(entry, controller_->nodes()));
  return answer;
}

TasksAnswer RunningController::tasks() const {
  TasksAnswer answer;
  const std::vector<fleet::NodeState> nodes = controller_->nodes();
  for (const fleet::TaskEntry& entry : controller_->tasks()) answer.tasks.push_back(row_of(entry, nodes));
  return answer;
}

Result<TasksAnswer> RunningController::task(const std::string& name) const { return one(TRY(controller_->task(name)), ""); }

Result<TasksAnswer> RunningController::audited(const Caller& caller, const char* action, const std::string& task,
                                               Result<TasksAnswer> answer) {
  audit(caller, action, "task " + task, answer.ok() ? "done" : answer.error().message);
  return answer;
}

Result<TasksAnswer> RunningController::applied(const std::string& text, const std::string& name) {
  const fleet::Task task = TRY(fleet::parse_task(text, "the task"));
  if (task.name != name)
    return fail(ErrorCode::InvalidInput, "the task is named " + task.name + ", not " + name, "PUT it under its own name");
  return one(TRY(controller_->apply_task(text, "the task")), "applied");
}

Result<TasksAnswer> RunningController::apply_task(const std::string& text, const std::string& name, const Caller& caller) {
  return audited(caller, "apply", name, applied(text, name));
}

Result<TasksAnswer> RunningController::stop_task(const std::string& name, const Caller& caller) {
  const auto stopped = controller_->stop_task(name);
  return audited(caller, "stop", name, stopped.ok() ? Result<TasksAnswer>(one(*stopped, "stopped")) : stopped.error());
}

Result<TasksAnswer> RunningController::delete_task(const std::string& name, const Caller& caller) {
  const auto removed = controller_->remove_task(name);
  return audited(caller, "delete", name, removed.ok() ? Result<TasksAnswer>(one(*removed, "deleted")) : removed.error());
}

Result<ControllerStatus> RunningController::status() {
  ControllerStatus status = TRY(controller_->status());
  status.lost_audit_lines = audit_log_->lost_lines();
  return status;
}

Result<store::Merged> RunningController::merged(const ServiceQuery& query) {
  store::Merged merged = TRY(controller_->profile(query));
  if (merged.coverage.windows == 0 || merged.profile.value_types().empty()) {
    std::string hint;
    for (const store::ServiceEntry& entry : TRY(controller_->services()))
      if (entry.service == query.service)
        hint = "there are profiles of it from " + time_text(entry.first_ns) + " to " + time_text(entry.last_ns);
    return fail(
        ErrorCode::NotFound,
        fmt::format("nothing of {} fits between {} and {}", query.service, time_text(query.from_ns), time_text(query.to_ns)),
        hint);
  }
  Profile& profile = merged.profile;
  profile.add_fact("service", query.service);
  profile.add_fact("windows", std::to_string(merged.coverage.windows));
  if (!merged.coverage.exact)
    profile.add_comment(fmt::format("covers {} to {}, by sums of {}", time_text(merged.coverage.from_ns),
                                    time_text(merged.coverage.to_ns), to_string(merged.coverage.coarsest)));
  for (const std::string& problem : merged.coverage.problems) profile.add_comment("could not be read: " + problem);
  // Every report says what was lost.
  if (merged.coverage.is_damaged())
    profile.add_loss("stored profiles that are damaged or cannot be read", merged.coverage.problems.size());
  return merged;
}

Result<SentProfile> RunningController::profile(const ServiceQuery& query, const std::string& name,
                                               const reduce::FilterOptions& filter) {
  const format::Format* format = format::find_format(name);
  if (format == nullptr || !format->descriptor().can_write) {
    std::vector<std::string> names;
    for (const auto& each : format::all_formats())
      if (each->descriptor().can_write) names.emplace_back(each->descriptor().name);
    return fail(ErrorCode::InvalidInput, "there is no format " + name,
                did_you_mean(name, names, "take pprof, otlp or html"));
  }
  store::Merged answer = TRY(merged(query));
  if (!filter.keeps_all()) answer.profile = TRY(kept_by_shown_names(answer.profile, filter));
  StringSink sink;
  TRY(format->write(answer.profile, {.title = query.service}, sink));
  const std::string_view extension = format->descriptor().extensions.front();
  SentProfile sent{sink.take(),
                   std::string(format->descriptor().media_type),
                   std::string(extension),
                   answer.coverage.windows,
                   answer.coverage.exact,
                   answer.coverage.problems.size()};
  if (extension.ends_with(".gz")) sent.bytes = gzip(sent.bytes);
  return sent;
}

// Profiles come from the network, answers go there, and the files of this machine are none of either's.
Result<SummaryAnswer> RunningController::top(const ServiceQuery& query, const View& view) {
  const SourceAccess none{MaySee()};
  store::Merged answer = TRY(merged(query));
  const ViewedProfile viewed = TRY(view_of({std::move(answer.profile), {}, query.service}, view));
  if (viewed.nothing) return *viewed.nothing;
  return summarize(viewed, "service:" + query.service, view);
}

Result<SeriesAnswer> RunningController::series(const ServiceQuery& query, int64_t step_ns, const std::string& function) {
  if (step_ns <= 0 || (query.to_ns - query.from_ns) / step_ns > static_cast<int64_t>(kMostPoints))
    return fail(ErrorCode::InvalidInput, "a step that gives more than 10,000 points", "take a longer one");
  const store::Series series = TRY(controller_->series(query, step_ns, function));
  SeriesAnswer answer{query.service, series.value_type, series.unit, function, step_ns, {}, true, {}};
  answer.is_exact = series.coverage.exact;
  answer.problems = series.coverage.problems;
  for (const store::SeriesPoint& point : series.points)
    answer.points.push_back({point.start_ns, point.total, point.function_self, point.function_total, point.windows});
  return answer;
}

}  // namespace atys::verbs
