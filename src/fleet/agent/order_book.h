// SPDX-License-Identifier: Apache-2.0
// What the controller ordered, as tasks; kept on disk too, so that it outlives a restart of the agent while the controller
// is away.
#pragma once

#include <string>
#include <vector>

#include "fleet/task.h"
#include "fleet/wire/control.h"

namespace atys::fleet {

class OrderBook {
 public:
  // Takes up what an earlier agent left at `path`, if it can be read.
  explicit OrderBook(std::string path);

  // An error: they are followed, but are not on disk.
  Result<> follow(const Orders& orders);

  const std::vector<Task>& tasks() const { return tasks_; }
  // Orders that we do not understand, each with the reason: of a newer controller, perhaps.
  const std::vector<TaskState>& not_understood() const { return not_understood_; }

 private:
  void read(const Orders& orders);

  std::string path_;
  std::vector<std::string> texts_;
  std::vector<Task> tasks_;
  std::vector<TaskState> not_understood_;
};

}  // namespace atys::fleet
