// SPDX-License-Identifier: Apache-2.0
// Records a target inside a budget.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "capture/end_reason.h"
#include "profile/kinds.h"
#include "verbs/profiles/output.h"
#include "verbs/recording/budget_report.h"
#include "verbs/recording/command_end.h"
#include "verbs/summary.h"

namespace atys::verbs {

enum class CapturePlan { Fixed, Adaptive };  // see adaptive.h
const char* to_string(CapturePlan plan);
Result<CapturePlan> capture_plan_of(const std::string& name);

struct CaptureRequest {
  // The target: exactly one of these.
  std::vector<std::string> command;
  std::vector<int> pids;
  bool children = false;  // of those pids: processes that they have started, or will start
  std::string service;
  std::string cgroup;
  bool host = false;

  std::string kind{profile::default_kind().name};
  std::string tier = "auto";
  bool allow_pause = false;      // of threads of processes that run already, where nothing else is permitted
  bool allow_inspector = false;  // of Node.js: whoever may connect to the loopback interface may connect to it meanwhile
  CapturePlan plan = CapturePlan::Fixed;
  double hz = 99;
  uint64_t duration_ns = 0;            // 0: as long as the command runs
  std::optional<double> max_overhead;  // nothing: see overhead_cap()
  uint64_t max_samples = 0;            // 0: no limit
  bool stop_command = false;           // where the recording ends before the command does, end that too
  std::optional<size_t> max_tokens;    // bounds the answer
  bool debuginfod = false;
  std::vector<std::pair<std::string, std::string>> labels;
  Output output;

  // Called some times a second.
  std::function<void(double seconds, double samples)> on_progress;
};

// A rate that the overhead guard granted, from a moment on.
struct RateGrant {
  double seconds = 0;
  double hz = 0;
};

// What the adaptive plan did, from a moment on, and why.
enum class StepKind { Coarse, Longer, Finer, Lines, Waits, Watch, Stop };
const char* to_string(StepKind kind);

struct PlanStep {
  StepKind kind = StepKind::Coarse;
  double from_seconds = 0;
  double seconds = 0;
  double hz = 0;
  double samples = 0;  // that there were when it began
  std::string why;
};

struct CaptureAnswer {
  WrittenProfile written;
  SummaryAnswer summary;
  std::string tier;
  capture::EndReason ended = capture::EndReason::Running;
  CapturePlan plan = CapturePlan::Fixed;
  std::vector<PlanStep> steps;  // of the adaptive plan
  int exit_status = -1;         // of the command
  LeftCommand command;          // what became of it where the recording ended first

  // The budget. Asked:
  double asked_hz = 0;
  double asked_overhead_percent = 0;
  uint64_t asked_duration_ns = 0;
  uint64_t asked_samples = 0;
  // Granted:
  std::vector<RateGrant> grants;
  // Used:
  uint64_t duration_ns = 0;
  uint64_t samples = 0;
  uint64_t setup_cpu_ns = 0;        // before the first sample
  uint64_t own_cpu_ns = 0;          // while samples were taken, for the samples
  uint64_t first_looks_cpu_ns = 0;  // meanwhile, for what comes once
  uint64_t kernel_cpu_ns = 0;
  uint64_t finish_cpu_ns = 0;  // giving names to everything, afterwards
  uint64_t target_cpu_ns = 0;
  uint64_t peak_bytes = 0;
  double overhead_percent = 0;  // of sampling; what comes once is not in it

  std::vector<std::string> notes;
  std::optional<BudgetReport> ledger;
};

// What sampling may cost, as a share of the target's CPU time: as was asked, else 1 % of what runs already, which somebody
// may depend on, and 5 % of a command that is run to be looked at.
double overhead_cap(const CaptureRequest& request);
// The words for `kind` and `tier`, for help and completion; "event:" wants a name behind it.
std::vector<std::string> kind_names();
std::vector<std::string> tier_names();

// What is wrong with a request before anything is done.
Result<> check(const CaptureRequest& request);

Result<CaptureAnswer> capture(const CaptureRequest& request);

}  // namespace atys::verbs
