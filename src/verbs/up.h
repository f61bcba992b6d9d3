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
#include "fleet/service_names.h"
#include "linux/child_process.h"
#include "verbs/agent.h"
#include "verbs/controller.h"
#include "verbs/summary.h"

namespace atys::verbs {

struct UpRequest {
  ControllerRequest controller;
  AgentRequest agent;
  std::string data_folder;  // what services are called is kept there
  uint64_t window_ns = 10'000'000'000;
  size_t most_services = 8;
  double least_cores = 0.01;     // below, nobody calls it busy
  bool allow_inspector = false;  // of Node.js, see CaptureRequest
  std::string examples_command;  // starts the example services; empty: there are none
};

struct UpService {
  std::string service;
  double cores = 0;
  size_t processes = 0;
  uint64_t windows = 0;
  std::string trouble;               // why there are none
  std::optional<SummaryAnswer> top;  // nothing: no window yet
};

struct UpAnswer {
  std::string node;
  double agent_cpu_share = 0;  // of one core, in the last minute or since it began
  double agent_cpu_budget = 0;
  uint64_t begun_for_ns = 0;        // CPU time of it that it took to start, and to begin with each service
  uint64_t watched_ns = 0;          // since it began to look
  double least_cores = 0;           // what counts as busy
  uint64_t range_ns = 0;            // what the functions are about: at most so long ago
  std::vector<UpService> services;  // busiest first
  size_t hidden = 0;                // services that are busy and not ours to record
};

class Up {
 public:
  static Result<std::unique_ptr<Up>> start(const UpRequest& request);
  ~Up();  // the examples end with it

  // What somebody who waits for the first table is told.
  enum class State {
    Looking,    // at what is busy
    Idle,       // nothing was, in any look so far, and there were enough of them to say so
    Recording,  // the first windows
    Ready,      // there is something to show
  };
  State state() const;
  // Everything that is busy has something to show, or cannot have; or it would take too long to wait for it.
  bool is_complete() const;

  // Looks at what the machine is busy with, if it is time to, and makes it a task, the busiest first, as fast as the agent
  // begins with them. What is no longer busy stays, until something else that is wants its place. To be called now and then.
  void look_around();
  bool has_examples() const { return !request_.examples_command.empty(); }
  Result<> start_examples();

  // Windows that were recorded so far: with each there is something new to show.
  uint64_t windows() const;
  std::vector<std::string> services() const;  // by name
  Result<UpAnswer> hotspots(size_t functions);

  RunningController& controller() { return *controller_; }
  AgentStatus agent_status() const { return agent_->status(); }

 private:
  struct Watched {
    std::string name;
    std::string task;
    double cores = 0;
    size_t processes = 0;
    uint64_t busy_ns = 0;  // when it last was
  };

  explicit Up(const UpRequest& request);
  void look(uint64_t now);
  void take_next(uint64_t now);
  void take(const fleet::BusyService& service, uint64_t now);
  const fleet::BusyService* next_busy() const;
  bool can_make_room(uint64_t now) const;
  void make_room();
  void let_go(const fleet::ServiceKey& key);
  std::string free_task_name(const std::string& service) const;
  void load_names();
  void save_names();
  UpService row_of(const Watched& service, const AgentStatus& agent, size_t functions);

  UpRequest request_;
  std::optional<linux::ChildProcess> examples_;
  std::unique_ptr<RunningController> controller_;
  std::unique_ptr<RunningAgent> agent_;  // ends before the controller
  fleet::BusyWatch watch_;
  fleet::ServiceNames names_;
  std::vector<fleet::BusyService> present_;  // at the last look, busiest first
  std::map<fleet::ServiceKey, Watched> watched_;
  std::string saved_names_;
  uint64_t started_ns_ = 0;
  uint64_t next_look_ns_ = 0;
  uint64_t first_task_ns_ = 0;
  size_t looks_ = 0;
};

}  // namespace atys::verbs
