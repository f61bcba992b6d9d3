// SPDX-License-Identifier: Apache-2.0
// Those who are at work on this node: a TaskRunner for each kind of each task that is wanted here. From any thread, under a
// lock of its own; runners are waited for without it.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "fleet/agent/agent_budget.h"
#include "fleet/agent/task_runner.h"

namespace atys::fleet {

class TaskRunners {
 public:
  using Begin = std::function<std::unique_ptr<TaskRunner>(const Task& task, const std::string& kind)>;
  explicit TaskRunners(Begin begin) : begin_(std::move(begin)) {}

  // These tasks and no others; where two have one name the later counts. One that has changed makes room for the new one.
  void follow(const std::vector<Task>& tasks);
  // Of the agent's budget.
  void follow(const AgentBudget::Order& order);
  // From now on none is begun.
  void close();
  // Returns when all of them have handed over what they have.
  void end();

  std::vector<TaskState> states() const;
  // What the most modest task asks for; 0: none does.
  uint64_t least_memory() const;

 private:
  using Key = std::pair<std::string, std::string>;  // a task's name, and a kind
  std::vector<std::unique_ptr<TaskRunner>> take_unwanted(const std::map<Key, Task>& wanted);

  const Begin begin_;
  mutable std::mutex mutex_;  // of all below
  std::map<Key, std::unique_ptr<TaskRunner>> runners_;
  bool is_closed_ = false;
};

}  // namespace atys::fleet
