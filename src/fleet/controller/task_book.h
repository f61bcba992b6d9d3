// SPDX-License-Identifier: Apache-2.0
// The tasks of a controller: a file each, in its folder, written whole or not at all. A node that joins late gets what is in
// here as all others did. Tasks of the controller above are handed on, and are not ours to change.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "fleet/task.h"

namespace atys::fleet {

enum class TaskPhase { Running, Stopped, Ended };
const char* to_string(TaskPhase phase);

struct TaskEntry {
  Task task;
  std::string text;        // as it was applied
  int64_t applied_ns = 0;  // Unix time
  bool is_stopped = false;
  bool is_from_above = false;

  TaskPhase phase(int64_t now_ns) const;
};

class TaskBook {
 public:
  // Takes up what an earlier controller left there; `problems` names files that are no tasks.
  static Result<TaskBook> open(std::string folder, std::vector<std::string>& problems);

  // A task of that name is replaced, and begins anew.
  Result<TaskEntry> apply(const std::string& text, std::string_view source, int64_t now_ns);
  Result<TaskEntry> stop(const std::string& name);
  Result<TaskEntry> remove(const std::string& name);
  Result<TaskEntry> find(const std::string& name) const;  // an error names those that are like it
  std::vector<TaskEntry> list() const;                    // by name

  // As YAML. A controller gets all of them: which of its nodes they are for is its business.
  std::vector<std::string> orders_for(const std::string& node, bool is_controller, int64_t now_ns) const;

  void set_from_above(const std::vector<std::string>& texts, int64_t now_ns);

  static constexpr size_t kMostTasks = 500;
  static constexpr size_t kMostBytes = 65'536;

 private:
  explicit TaskBook(std::string folder) : folder_(std::move(folder)) {}
  Result<> load(const std::string& path);
  Result<> save(const TaskEntry& entry) const;
  std::string path_of(const std::string& name) const;

  std::string folder_;
  std::map<std::string, TaskEntry> own_, from_above_;
};

}  // namespace atys::fleet
