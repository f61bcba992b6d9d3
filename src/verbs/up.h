// SPDX-License-Identifier: Apache-2.0
// A controller and an agent in this process, which profile what this machine is busy with, without being told.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "fleet/busiest.h"
#include "linux/child_process.h"
#include "verbs/agent.h"
#include "verbs/controller.h"
#include "verbs/summary.h"

namespace atys::verbs {

struct UpRequest {
  ControllerRequest controller;
  AgentRequest agent;
  uint64_t window_ns = 10'000'000'000;
  size_t most_services = 8;
  double least_cores = 0.01;     // below, nobody calls it busy
  std::string examples_command;  // starts the example services; empty: there are none
};

struct UpService {
  std::string service;
  double cores = 0;
  size_t processes = 0;
  std::optional<SummaryAnswer> top;  // nothing: no window yet
};

struct UpAnswer {
  std::string node;
  double agent_cpu_share = 0;
  std::vector<UpService> services;  // busiest first
};

class Up {
 public:
  static Result<std::unique_ptr<Up>> start(const UpRequest& request);
  ~Up();  // the examples end with it

  // Looks at what the machine is busy with and makes it a task; to be called now and then. What is no longer busy stays.
  void look_around();
  // Nothing was busy in any look so far, and there were enough of them to say so.
  bool is_idle() const;
  bool has_examples() const { return !request_.examples_command.empty(); }
  Result<> start_examples();
  // At least one service has a window.
  bool has_hotspots();
  Result<UpAnswer> hotspots(size_t functions);

  RunningController& controller() { return *controller_; }
  AgentStatus agent_status() const { return agent_->status(); }

 private:
  Up() = default;

  UpRequest request_;
  std::optional<linux::ChildProcess> examples_;
  std::unique_ptr<RunningController> controller_;
  std::unique_ptr<RunningAgent> agent_;  // ends before the controller
  std::vector<linux::ProcessInfo> last_look_;
  uint64_t last_look_ns_ = 0;
  uint64_t first_task_ns_ = 0;
  uint64_t last_task_ns_ = 0;
  size_t looks_ = 0;
  std::map<std::string, fleet::BusyService> services_;  // by the name of their task
};

}  // namespace atys::verbs
