// SPDX-License-Identifier: Apache-2.0
// The initialization stage of a task: profiles a service for a while, without pruning, and proposes settings.
#pragma once

#include <functional>
#include <string>

#include "adapt/calibration.h"
#include "base/result.h"

namespace atys::verbs {

struct CalibrateRequest {
  std::string service;  // a rule
  std::string task;     // what the task is to be called; empty: after the service
  double hz = 199;
  uint64_t window_ns = 5'000'000'000;
  size_t windows = 24;
  double max_mape = 0.5;  // per cent, of the top 50 functions
  std::function<void(size_t done)> on_window = [](size_t) {};
};

struct CalibrateAnswer {
  std::string service;
  double hz = 0;
  double window_seconds = 0;
  double max_mape = 0;
  double overhead = 0;  // of the pre-profiling, as a share
  adapt::Calibration calibration;
  std::string task_file;  // YAML, ready to apply
};

Result<CalibrateAnswer> calibrate(const CalibrateRequest& request);

}  // namespace atys::verbs
