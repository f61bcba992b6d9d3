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

constexpr uint64_t kPatienceNs = 5'000'000'000;
constexpr uint64_t kFirstLookNs = 1'500'000'000;

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
  if (!request.examples_command.empty()) {
    up->examples_.emplace(TRY(linux::ChildProcess::create({request.examples_command}, {.own_group = true})));
    TRY(up->examples_->release());
  }
  up->controller_ = TRY(RunningController::start(request.controller));
  up->agent_ = TRY(RunningAgent::start(request.agent, fleet::open_local_link(up->controller_->controller())));
  up->last_look_ = fleet::look_at_processes();
  up->last_look_ns_ = clock_ns(CLOCK_MONOTONIC);
  return up;
}

Up::~Up() {
  if (examples_) examples_->send_signal(SIGTERM);
}

void Up::look_around() {
  const uint64_t now = clock_ns(CLOCK_MONOTONIC);
  if (now - last_look_ns_ < kFirstLookNs) return;
  std::vector<linux::ProcessInfo> processes = fleet::look_at_processes();
  std::erase_if(processes, is_of_this_program);
  const std::vector<fleet::BusyService> busy = fleet::busiest(last_look_, processes, now - last_look_ns_);
  last_look_ = std::move(processes);
  last_look_ns_ = now;
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
  }
}

bool Up::has_hotspots() {
  // A moment longer than a window: services that do not answer at once should not hold up the others.
  if (services_.empty() || clock_ns(CLOCK_MONOTONIC) - first_task_ns_ < request_.window_ns + kPatienceNs) return false;
  const Result<ServicesAnswer> services = controller_->services();
  return services.ok() && !services->services.empty();
}

Result<UpAnswer> Up::hotspots(size_t functions) {
  UpAnswer answer{.node = agent_->status().report.node, .agent_cpu_share = agent_->status().cpu_share};
  for (const auto& [name, service] : services_) {
    UpService row{.service = name, .cores = service.cores, .processes = service.processes};
    ServiceQuery query{.service = name, .to_ns = controller_->now_ns() + 1};
    query.from_ns = query.to_ns - fleet::kDefaultRangeNs;
    if (Result<SummaryAnswer> top = controller_->top(query, View{.top = functions}); top.ok()) row.top = top.take();
    answer.services.push_back(std::move(row));
  }
  std::stable_sort(answer.services.begin(), answer.services.end(),
                   [](const UpService& a, const UpService& b) { return a.cores > b.cores; });
  return answer;
}

}  // namespace atys::verbs
