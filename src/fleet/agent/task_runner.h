// SPDX-License-Identifier: Apache-2.0
// Carries out one kind of one task on this node, in a thread of its own: waits for instances, records window after window,
// lets the policy choose the rate, and hands the windows over.
#pragma once

#include <sys/eventfd.h>

#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "base/guarded.h"
#include "base/unique_fd.h"
#include "capture/recording_plan.h"
#include "fleet/agent/window.h"
#include "fleet/agent/work_pace.h"
#include "fleet/task.h"
#include "fleet/wire/control.h"

namespace atys::fleet {

// What a runner says that is not at work yet.
inline constexpr std::string_view kWaitsForTurn = "waits for its turn: the agent stays within its CPU budget";

// A window that is complete.
struct FinishedWindow {
  Profile profile;      // as outgoing_window() makes it
  double hz = 0;        // that it was sampled at
  uint64_t cpu_ns = 0;  // that it cost us, the kernel's part included
  uint64_t kernel_cpu_ns = 0;
};

struct RunnerSurroundings {
  std::string node;
  std::string sender;  // hexadecimal
  std::string cache_folder;
  std::string trace_folder;        // see capture/traces.h
  std::shared_ptr<WorkPace> pace;  // of all runners of the agent
  std::function<uint64_t()> next_sequence;
  std::function<void(const Task&, FinishedWindow)> deliver;
};

class TaskRunner {
 public:
  TaskRunner(Task task, capture::Kind kind, RunnerSurroundings surroundings);
  ~TaskRunner();  // ends the window at hand and hands it over

  const Task& task() const { return task_; }
  TaskState state() const;
  // Rates are multiplied by it, 0 to 1: what a controller or the agent's own budget can bear. Paused at 0.
  void set_rate_factor(double factor) { rate_factor_ = factor; }
  // Gives back memory: what is known of stacks is learned anew.
  void shed_memory() { wants_fresh_recording_ = true; }

 private:
  class Loop;
  bool sleep(uint64_t ns);  // false: it is to end

  Task task_;
  capture::Kind kind_;
  RunnerSurroundings surroundings_;
  std::shared_ptr<Guarded<TaskState>> state_;
  std::atomic<double> rate_factor_ = 1;
  std::atomic<bool> wants_fresh_recording_ = false;
  std::mutex mutex_;
  std::condition_variable wake_;
  UniqueFd wake_fd_{::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};  // the same, for who waits for samples
  bool is_ending_ = false;
  std::thread thread_;
};

}  // namespace atys::fleet
