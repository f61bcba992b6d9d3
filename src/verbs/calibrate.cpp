// SPDX-License-Identifier: Apache-2.0
#include "verbs/calibrate.h"

#include <algorithm>
#include <cmath>

#include "base/clock.h"
#include "capture/recording.h"
#include "fleet/agent/task_runner.h"
#include "fleet/task.h"
#include "store/library.h"

namespace atys::verbs {

namespace {

constexpr size_t kFewestWindows = 4;
constexpr size_t kMostWindows = 1000;
constexpr double kSamplesToNoticeBy = 60;  // in a window at the lowest rate: fewer show no change but the largest
constexpr int kStepMs = 200;

uint64_t thread_cpu() { return clock_ns(CLOCK_THREAD_CPUTIME_ID); }

struct Recorded {
  std::vector<Profile> windows;
  double overhead = 0;
};

Result<Recorded> record(const CalibrateRequest& request) {
  capture::ServiceRule rule = TRY(capture::ServiceRule::parse(request.service));
  capture::RecordingPlan plan;  // member by member: g++ 12 warns of an initialiser whose last part may throw
  plan.target = capture::ServiceTarget{std::move(rule)};
  plan.hz = request.hz;
  plan.max_overhead = 1;
  plan.cache_folder = store::Library::open_default().home() + "/cache";
  plan.trace_folder = store::Library::open_default().home() + "/traces";
  const std::unique_ptr<capture::Recording> recording = TRY(capture::Recording::open(plan));
  TRY(recording->start());
  Recorded recorded;
  while (recorded.windows.size() < request.windows) {
    const uint64_t end_ns = clock_ns(CLOCK_MONOTONIC) + request.window_ns;
    while (clock_ns(CLOCK_MONOTONIC) < end_ns)
      if (const capture::EndReason reason = recording->step(kStepMs); reason != capture::EndReason::Running)
        return fail(ErrorCode::Unavailable, std::string("calibration was cut short: ") + capture::to_string(reason),
                    "calibrate a service that goes on running");
    recorded.windows.push_back(recording->take_window());
    recorded.overhead = recording->use().overhead;
    request.on_window(recorded.windows.size());
  }
  return recorded;
}

// The lowest rate at which a window still shows a change, and the highest that is worth having.
adapt::FrequencyPlan rates(const CalibrateRequest& request, const adapt::Calibration& calibration) {
  adapt::FrequencyPlan plan;
  const double window_seconds = static_cast<double>(fleet::Task().window_ns) / 1e9;
  const double per_hz = std::max(0.01, calibration.samples_per_hz_second) * window_seconds;
  plan.min_hz = std::clamp(std::ceil(kSamplesToNoticeBy / per_hz), 1.0, 49.0);
  plan.max_hz = std::max(request.hz, plan.min_hz);
  // Two digits: more would claim what a short calibration does not know.
  const double scale = std::pow(10, std::floor(std::log10(calibration.threshold)) - 1);
  plan.threshold = std::round(calibration.threshold / scale) * scale;
  return plan;
}

fleet::Task proposal(const CalibrateRequest& request, const adapt::Calibration& calibration) {
  fleet::Task task;
  task.service = request.service;
  task.name = "calibrated";
  task.name = request.task.empty() ? fleet::service_name(task) : request.task;
  task.frequency.dynamic = rates(request, calibration);
  task.prune = calibration.max_error > 0 ? adapt::PruningRule{adapt::PruningRule::Kind::MaxError, calibration.max_error}
                                         : adapt::PruningRule{};
  return task;
}

}  // namespace

Result<CalibrateAnswer> calibrate(const CalibrateRequest& request) {
  if (request.windows < kFewestWindows || request.windows > kMostWindows)
    return fail(ErrorCode::InvalidInput, "calibration wants 4 to 1000 windows", "say --windows 24");
  const Recorded recorded = TRY(record(request));
  CalibrateAnswer answer{.service = request.service,
                         .hz = request.hz,
                         .window_seconds = static_cast<double>(request.window_ns) / 1e9,
                         .max_mape = request.max_mape,
                         .overhead = recorded.overhead};
  answer.calibration =
      TRY(adapt::calibrate(recorded.windows, {.hz = request.hz, .max_mape = request.max_mape, .cpu_clock = thread_cpu}));
  answer.task_file = fleet::to_yaml(proposal(request, answer.calibration));
  return answer;
}

}  // namespace atys::verbs
