// SPDX-License-Identifier: Apache-2.0
// A task: a standing order to the fleet. What is profiled, where, how, and within which budget. docs/guide/tasks.md has
// every field; a file that is wrong is refused with the line of what is wrong in it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "adapt/frequency.h"
#include "adapt/pruning.h"
#include "base/result.h"
#include "profile/kinds.h"

namespace atys::fleet {

enum class FrequencyMode {
  Fixed,
  Pooled,  // ours
  Paper,   // algorithm 1 of the paper, for comparison
};

struct TaskFrequency {
  FrequencyMode mode = FrequencyMode::Pooled;
  double fixed_hz = 99;
  adapt::FrequencyPlan dynamic;

  bool operator==(const TaskFrequency&) const = default;
};

struct TaskBudget {
  double overhead = 0.01;     // share of the service's CPU time, or of one core
  uint64_t memory_bytes = 0;  // of an agent that has this task; 0: as it was told itself

  bool operator==(const TaskBudget&) const = default;
};

struct Task {
  std::string name;
  std::string service;             // a rule as capture/target/service_rule.h reads it
  std::string as;                  // what the service is called; empty: see service_name()
  std::vector<std::string> nodes;  // shell patterns of node names; none: every node
  std::vector<std::string> kinds{std::string(profile::default_kind().name)};
  TaskFrequency frequency;
  uint64_t window_ns = 10'000'000'000;
  uint64_t pause_ns = 0;  // between windows
  adapt::PruningRule prune{adapt::PruningRule::Kind::MaxError, 0.01};
  std::vector<std::string> track;  // functions that metrics always show; a part of the name, or a pattern between slashes
  TaskBudget budget;
  uint64_t for_ns = 0;           // 0: until it is stopped
  bool allow_inspector = false;  // of Node.js processes, see capture/recording_plan.h

  bool runs_on(std::string_view node) const;
  bool operator==(const Task&) const = default;
};

// What its service is called: as it says, else the name in the rule, else that of the task.
std::string service_name(const Task& task);

// Of YAML text. An error names `source`, the line and the field.
Result<Task> parse_task(const std::string& text, std::string_view source);
// Of a text that parse_task() refuses, as far as it can be told; else "?".
std::string task_name_in(const std::string& text);

// As a file that parse_task() reads to the same task: what the controller keeps and hands out.
std::string to_yaml(const Task& task);

}  // namespace atys::fleet
