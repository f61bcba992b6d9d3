// SPDX-License-Identifier: Apache-2.0
#include "verbs/up.h"

#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <csignal>
#include <ctime>

#include "base/clock.h"

namespace atys::verbs {

namespace {

constexpr uint64_t kPatienceNs = 5'000'000'000;  // longer than a window: services that do not answer at once
constexpr uint64_t kMostPatience = 3;
constexpr uint64_t kFirstLookNs = 1'500'000'000;
constexpr size_t kLooksToBeSure = 2;

// A name of a service as that of a task: letters, digits and a few signs.
std::string task_name(const std::string& service) {
  std::string name;
  for (const char c : service.substr(0, 80))
    name +=
        std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_' || (c == '.' && !name.empty()) ? c : '_';
  return name.empty() ? "service" : name;
}

bool is_of_this_program(const linux::ProcessInfo& process) { return process.pid == ::getpid(); }

}  // namespace

Result<std::unique_ptr<Up>> Up::start(const UpRequest& request) {
  std::unique_ptr<Up> up(new Up);
  up->request_ = request;
  up->controller_ = TRY(RunningController::start(request.controller));
  up->agent_ = TRY(RunningAgent::start(request.agent, fleet::open_local_link(up->controller_->controller())));
  up->last_look_ = fleet::look_at_processes();
  up->last_look_ns_ = clock_ns(CLOCK_MONOTONIC);
  return up;
}

Up::~Up() {
  if (examples_) examples_->send_signal(SIGTERM);
}

Result<> Up::start_examples() {
  examples_.emplace(
      TRY(linux::ChildProcess::create({request_.examples_command}, {.out = STDERR_FILENO, .own_group = true})));
  return examples_->release();
}

bool Up::is_idle() const { return looks_ >= kLooksToBeSure && services_.empty(); }

void Up::look_around() {
  const uint64_t now = clock_ns(CLOCK_MONOTONIC);
  if (now - last_look_ns_ < kFirstLookNs) return;
  std::vector<linux::ProcessInfo> processes = fleet::look_at_processes();
  std::erase_if(processes, is_of_this_program);
  const std::vector<fleet::BusyService> busy = fleet::busiest(last_look_, processes, now - last_look_ns_);
  last_look_ = std::move(processes);
  last_look_ns_ = now;
  ++looks_;
  for (const fleet::BusyService& service : busy) {
    const std::string name = task_name(service.name);
    if (services_.contains(name)) {
      if (services_[name].rule == service.rule) services_[name] = service;
      continue;
    }
    if (service.cores < request_.least_cores || services_.size() >= request_.most_services) continue;
    fleet::Task task;
    task.name = name;
    task.service = service.rule;
    task.window_ns = request_.window_ns;
    if (!controller_->apply_task(fleet::to_yaml(task), name, Caller{}).ok()) continue;
    services_[name] = service;
    if (first_task_ns_ == 0) first_task_ns_ = now;
    last_task_ns_ = now;
  }
}

// What has just become busy gets its first window too, but not for ever: on some machines there is always something new.
bool Up::has_hotspots() {
  const uint64_t now = clock_ns(CLOCK_MONOTONIC);
  const uint64_t patience = request_.window_ns + kPatienceNs;
  if (services_.empty() || (now - last_task_ns_ < patience && now - first_task_ns_ < kMostPatience * patience)) return false;
  const Result<ServicesAnswer> services = controller_->services();
  return services.ok() && !services->services.empty();
}

Result<UpAnswer> Up::hotspots(size_t functions) {
  UpAnswer answer{.node = agent_->status().report.node, .agent_cpu_share = agent_->status().cpu_share};
  for (const auto& [name, service] : services_) {
    UpService row{.service = name, .cores = service.cores, .processes = service.processes};
    ServiceQuery query{.service = name, .to_ns = controller_->now_ns() + 1};
    query.from_ns = query.to_ns - fleet::kDefaultRangeNs;
    // What libraries and runtime cost is told of who called them: a table of malloc, free and memcpy would help nobody.
    if (Result<SummaryAnswer> top = controller_->top(query, View{.form = "brief", .top = functions}); top.ok())
      row.top = top.take();
    answer.services.push_back(std::move(row));
  }
  std::stable_sort(answer.services.begin(), answer.services.end(),
                   [](const UpService& a, const UpService& b) { return a.cores > b.cores; });
  return answer;
}

}  // namespace atys::verbs
