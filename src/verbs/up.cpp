// SPDX-License-Identifier: Apache-2.0
#include "verbs/up.h"

#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <csignal>
#include <ctime>
#include <filesystem>

#include "base/byte_sink.h"
#include "base/byte_source.h"
#include "base/clock.h"
#include "capture/target/service_rule.h"

namespace atys::verbs {

namespace {

constexpr uint64_t kSecondNs = 1'000'000'000;
constexpr uint64_t kPatienceNs = 5 * kSecondNs;       // longer than a window: services that do not answer at once
constexpr uint64_t kMostPatienceNs = 60 * kSecondNs;  // for services that come one after the other; or for two windows
constexpr uint64_t kFirstLookNs = 1'500'000'000;
constexpr uint64_t kLookNs = 5 * kSecondNs;
constexpr size_t kLooksToBeSure = 2;
constexpr uint64_t kGivesWayNs = 60 * kSecondNs;  // who was not busy for so long makes room for who is
constexpr uint64_t kRangeNs = 60 * kSecondNs;     // what a table that goes on is about, at least
constexpr uint64_t kRangeWindows = 3;
constexpr size_t kMostNamesBytes = 1 << 20;

// A name of a service as that of a task: letters, digits and a few signs.
std::string task_name(const std::string& service) {
  std::string name;
  for (const char c : service.substr(0, 80))
    name +=
        std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_' || (c == '.' && !name.empty()) ? c : '_';
  return name.empty() ? "service" : name;
}

const fleet::TaskState* state_of(const AgentStatus& agent, const std::string& task) {
  const auto found = std::ranges::find(agent.report.tasks, task, &fleet::TaskState::task);
  return found == agent.report.tasks.end() ? nullptr : &*found;
}

bool has_begun(const AgentStatus& agent, const std::string& task) {
  const fleet::TaskState* state = state_of(agent, task);
  return state != nullptr && state->trouble != fleet::kWaitsForTurn;
}

// Or will have none.
bool has_window(const AgentStatus& agent, const std::string& task) {
  const fleet::TaskState* state = state_of(agent, task);
  return state != nullptr && (state->windows > 0 || (!state->trouble.empty() && has_begun(agent, task)));
}

}  // namespace

Up::Up(const UpRequest& request) : request_(request), watch_(capture::live_facts()) {}

Result<std::unique_ptr<Up>> Up::start(const UpRequest& request) {
  std::unique_ptr<Up> up(new Up(request));
  up->controller_ = TRY(RunningController::start(request.controller));
  up->load_names();
  // Of an earlier run: what it was told to do then is not what this machine is busy with now.
  std::error_code ignored;
  std::filesystem::remove(request.agent.data_folder + "/orders.bin", ignored);
  up->agent_ = TRY(RunningAgent::start(request.agent, fleet::open_local_link(up->controller_->controller())));
  up->started_ns_ = clock_ns(CLOCK_MONOTONIC);
  up->watch_.look(clock_ns(CLOCK_BOOTTIME));
  up->next_look_ns_ = up->started_ns_ + kFirstLookNs;
  return up;
}

Up::~Up() {
  if (examples_) examples_->send_signal(SIGTERM);
  if (controller_ == nullptr) return;
  agent_.reset();
  for (const auto& [key, service] : watched_) (void)controller_->delete_task(service.task, Caller{});
}

Result<> Up::start_examples() {
  examples_.emplace(
      TRY(linux::ChildProcess::create({request_.examples_command}, {.out = STDERR_FILENO, .own_group = true})));
  return examples_->release();
}

// ---------------------------------------------------------------------------------------------------------- services

// A run that was killed has left its tasks: they are made again for what is busy now.
void Up::load_names() {
  const auto source = open_source(request_.data_folder + "/services.json");
  if (!source.ok()) return;
  const auto text = (*source)->read_all(kMostNamesBytes);
  if (text.ok()) names_.read(as_text(*text));
  for (const auto& [key, name] : names_.names())
    for (const TaskRow& task : controller_->tasks().tasks)
      if (task.service == fleet::rule_of(key)) (void)controller_->delete_task(task.name, Caller{});
}

void Up::save_names() {
  const std::string text = names_.text();
  if (text == saved_names_) return;
  const auto sink = open_sink(request_.data_folder + "/services.json");
  if (sink.ok() && (*sink)->write(text).ok() && (*sink)->commit().ok()) saved_names_ = text;
}

std::string Up::free_task_name(const std::string& service) const {
  const std::string wanted = task_name(service);
  std::string name = wanted;
  for (int number = 2; controller_->task(name).ok(); ++number) name = wanted + "-" + std::to_string(number);
  return name;
}

void Up::let_go(const fleet::ServiceKey& key) {
  (void)controller_->delete_task(watched_.at(key).task, Caller{});
  watched_.erase(key);
}

bool Up::can_make_room(uint64_t now) const {
  return watched_.size() < request_.most_services ||
         std::ranges::any_of(watched_, [&](const auto& one) { return now - one.second.busy_ns >= kGivesWayNs; });
}

// Who was not busy for longest goes.
void Up::make_room() {
  if (watched_.size() < request_.most_services) return;
  const auto idle = std::ranges::min_element(watched_, {}, [](const auto& one) { return one.second.busy_ns; });
  let_go(fleet::ServiceKey(idle->first));
}

void Up::take(const fleet::BusyService& service, uint64_t now) {
  const std::string name = names_.name_of(service.key, present_);
  // It goes on under the name of one that has gone.
  const auto before = std::ranges::find_if(watched_, [&](const auto& one) { return one.second.name == name; });
  if (before != watched_.end()) let_go(fleet::ServiceKey(before->first));
  make_room();
  fleet::Task task;
  task.name = free_task_name(name);
  task.service = fleet::rule_of(service.key);
  task.as = name;
  task.window_ns = request_.window_ns;
  task.allow_inspector = request_.allow_inspector;
  if (!controller_->apply_task(fleet::to_yaml(task), task.name, Caller{}).ok()) return;
  watched_[service.key] = {name, task.name, service.cores, service.processes, now};
  if (first_task_ns_ == 0) first_task_ns_ = now;
}

// The busiest that is not watched yet; null: none.
const fleet::BusyService* Up::next_busy() const {
  for (const fleet::BusyService& service : present_)
    if (service.is_ours && service.cores >= request_.least_cores && !watched_.contains(service.key)) return &service;
  return nullptr;
}

// The agent begins with one after the other, as its budget allows. Who has not begun keeps others waiting, and the busiest
// should be first.
void Up::take_next(uint64_t now) {
  const fleet::BusyService* next = next_busy();
  if (next == nullptr || !can_make_room(now)) return;
  const AgentStatus agent = agent_->status();
  for (const auto& [key, service] : watched_)
    if (!has_begun(agent, service.task)) return;
  take(*next, now);
  save_names();
}

void Up::look(uint64_t now) {
  present_ = watch_.look(clock_ns(CLOCK_BOOTTIME));
  ++looks_;
  for (auto& [key, service] : watched_) service.cores = 0, service.processes = 0;
  for (const fleet::BusyService& service : present_) {
    const auto known = watched_.find(service.key);
    if (known == watched_.end()) continue;
    known->second.cores = service.cores;
    known->second.processes = service.processes;
    if (service.cores >= request_.least_cores) known->second.busy_ns = now;
  }
}

void Up::look_around() {
  const uint64_t now = clock_ns(CLOCK_MONOTONIC);
  if (now >= next_look_ns_) {
    next_look_ns_ = now + kLookNs;
    look(now);
  }
  take_next(now);
}

// ------------------------------------------------------------------------------------------------------ what is shown

Up::State Up::state() const {
  if (watched_.empty()) return looks_ >= kLooksToBeSure ? State::Idle : State::Looking;
  return windows() > 0 ? State::Ready : State::Recording;
}

bool Up::is_complete() const {
  const uint64_t now = clock_ns(CLOCK_MONOTONIC);
  const uint64_t patience = request_.window_ns + kPatienceNs;
  if (watched_.empty()) return looks_ >= kLooksToBeSure && now - started_ns_ >= patience;
  if (now - first_task_ns_ >= std::max(kMostPatienceNs, 2 * patience)) return true;
  if (next_busy() != nullptr && can_make_room(now)) return false;
  const AgentStatus agent = agent_->status();
  return std::ranges::all_of(watched_, [&](const auto& one) { return has_window(agent, one.second.task); });
}

uint64_t Up::windows() const {
  uint64_t windows = 0;
  for (const fleet::TaskState& task : agent_->status().report.tasks) windows += task.windows;
  return windows;
}

std::vector<std::string> Up::services() const {
  std::vector<std::string> names;
  for (const auto& [key, service] : watched_) names.push_back(service.name);
  return names;
}

UpService Up::row_of(const Watched& service, const AgentStatus& agent, size_t functions) {
  UpService row{.service = service.name, .cores = service.cores, .processes = service.processes};
  if (const fleet::TaskState* state = state_of(agent, service.task); state != nullptr) {
    row.windows = state->windows;
    row.trouble = state->trouble;
  }
  ServiceQuery query{.service = service.name, .to_ns = controller_->now_ns() + 1};
  query.from_ns = query.to_ns - static_cast<int64_t>(std::max(kRangeNs, kRangeWindows * request_.window_ns));
  // What libraries and runtime cost is told of who called them: a table of malloc, free and memcpy would help nobody.
  if (Result<SummaryAnswer> top = controller_->top(query, View{.form = reduce::Form::Brief, .top = functions}); top.ok())
    row.top = top.take();
  return row;
}

Result<UpAnswer> Up::hotspots(size_t functions) {
  const AgentStatus agent = agent_->status();
  UpAnswer answer{.node = agent.report.node,
                  .agent_cpu_share = agent.cpu_share,
                  .agent_cpu_budget = request_.agent.max_cpu,
                  .begun_for_ns = agent.begun_for_ns,
                  .watched_ns = clock_ns(CLOCK_MONOTONIC) - started_ns_,
                  .least_cores = request_.least_cores,
                  .range_ns = std::max(kRangeNs, kRangeWindows * request_.window_ns)};
  for (const auto& [key, service] : watched_) answer.services.push_back(row_of(service, agent, functions));
  answer.hidden = static_cast<size_t>(std::ranges::count_if(present_, [&](const fleet::BusyService& service) {
    return !service.is_ours && service.cores >= request_.least_cores;
  }));
  std::stable_sort(answer.services.begin(), answer.services.end(),
                   [](const UpService& a, const UpService& b) { return a.cores > b.cores; });
  return answer;
}

}  // namespace atys::verbs
