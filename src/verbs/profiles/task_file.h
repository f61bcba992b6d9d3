// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/result.h"
#include "fleet/task.h"

namespace atys::verbs {

struct TaskFile {
  fleet::Task task;
  std::string text;
};

// "-": standard input. What is wrong in it is said with the name of the file and the line.
Result<TaskFile> read_task_file(const std::string& path);

}  // namespace atys::verbs
