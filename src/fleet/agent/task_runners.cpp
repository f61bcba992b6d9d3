// SPDX-License-Identifier: Apache-2.0
#include "fleet/agent/task_runners.h"

#include <algorithm>

namespace atys::fleet {

void TaskRunners::follow(const std::vector<Task>& tasks) {
  std::map<Key, Task> wanted;
  for (const Task& task : tasks)
    for (const std::string& kind : task.kinds) wanted[{task.name, kind}] = task;
  take_unwanted(wanted).clear();
  const std::lock_guard lock(mutex_);
  if (is_closed_) return;
  for (const auto& [key, task] : wanted)
    if (!runners_.contains(key)) runners_[key] = begin_(task, key.second);
}

std::vector<std::unique_ptr<TaskRunner>> TaskRunners::take_unwanted(const std::map<Key, Task>& wanted) {
  std::vector<std::unique_ptr<TaskRunner>> unwanted;
  const std::lock_guard lock(mutex_);
  for (auto at = runners_.begin(); at != runners_.end();) {
    const auto found = wanted.find(at->first);
    const bool stays = found != wanted.end() && found->second == at->second->task();
    if (!stays) unwanted.push_back(std::move(at->second));
    at = stays ? std::next(at) : runners_.erase(at);
  }
  return unwanted;
}

void TaskRunners::follow(const AgentBudget::Order& order) {
  const std::lock_guard lock(mutex_);
  for (auto& [key, runner] : runners_) {
    runner->set_rate_factor(order.rate_factor);
    if (order.shed_memory) runner->shed_memory();
  }
}

void TaskRunners::close() {
  const std::lock_guard lock(mutex_);
  is_closed_ = true;
}

void TaskRunners::end() {
  close();
  take_unwanted({}).clear();
}

std::vector<TaskState> TaskRunners::states() const {
  std::vector<TaskState> states;
  const std::lock_guard lock(mutex_);
  for (const auto& [key, runner] : runners_) states.push_back(runner->state());
  return states;
}

uint64_t TaskRunners::least_memory() const {
  uint64_t least = 0;
  const std::lock_guard lock(mutex_);
  for (const auto& [key, runner] : runners_)
    if (const uint64_t bytes = runner->task().budget.memory_bytes; bytes > 0 && (least == 0 || bytes < least)) least = bytes;
  return least;
}

}  // namespace atys::fleet
