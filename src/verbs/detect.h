// SPDX-License-Identifier: Apache-2.0
// Which profiling kernel fits a process, and why.
#pragma once

#include <string>
#include <vector>

#include "capture/target/detect.h"

namespace atys::verbs {

// At least one of them.
struct DetectRequest {
  std::vector<pid_t> pids;
  std::string service;  // a service rule
  std::string cgroup;
};

struct DetectAnswer {
  using Process = capture::Detection;
  std::vector<Process> processes;
};

// Whether the request makes sense: what fails here is a wrong call.
Result<> check(const DetectRequest& request);
Result<DetectAnswer> detect(const DetectRequest& request);

}  // namespace atys::verbs
