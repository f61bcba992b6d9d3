// SPDX-License-Identifier: Apache-2.0
// The hotspots of all tasks. Runners add windows and metrics read rows, from any thread, under a lock of its own.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/guarded.h"
#include "fleet/agent/hotspots.h"
#include "fleet/task.h"

namespace atys::fleet {

class TaskHotspots {
 public:
  // Of a task that begins, perhaps anew.
  void begin(const Task& task) { by_task_.lock()->insert_or_assign(task.name, Hotspots(HotspotPlan{.track = task.track})); }

  // A window of a task that has begun.
  void add(const Task& task, const Profile& window, uint64_t now_ns) {
    const auto by_task = by_task_.lock();
    if (const auto found = by_task->find(task.name); found != by_task->end()) found->second.add(window, now_ns);
  }

  std::vector<Hotspots::Row> rows(uint64_t now_ns) {
    std::vector<Hotspots::Row> all;
    const auto by_task = by_task_.lock();
    for (const auto& [task, hotspots] : *by_task)
      for (Hotspots::Row& row : hotspots.rows(now_ns)) all.push_back(std::move(row));
    return all;
  }

 private:
  Guarded<std::map<std::string, Hotspots>> by_task_;
};

}  // namespace atys::fleet
