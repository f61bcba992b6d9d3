// SPDX-License-Identifier: Apache-2.0
// What a controller knows: services, nodes, tasks. The same answer whether it is asked within its process, where the page
// and the tools are, or from afar.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "verbs/recording/budget_report.h"
#include "verbs/view/detail.h"
#include "verbs/view/follow_up.h"
#include "verbs/view/view.h"

namespace atys::verbs {

struct ServiceRow {
  std::string service;
  std::vector<std::string> kinds, versions;
  uint64_t instances = 0, windows = 0, bytes = 0;
  int64_t first_ns = 0, last_ns = 0;
};

struct ServicesRequest {
  std::string pattern;  // of the names; empty: all
};

struct ServicesAnswer {
  std::vector<ServiceRow> services;
  std::vector<std::string> problems;  // what could not be read, e.g. a day that is damaged
  size_t omitted = 0;                 // services that there was no room for
  Tokens tokens = {};
  std::vector<FollowUp> next = {};  // the questions that would tell most now
  std::optional<BudgetReport> ledger = {};
};

struct NodeTaskRow {
  std::string task;
  uint64_t instances = 0, windows = 0;
  double hz = 0, overhead = 0;
  std::string trouble;
};

struct NodeRow {
  std::string node, version, metrics_address;
  std::map<std::string, std::string> labels;
  bool is_away = false;
  bool is_controller = false;
  bool is_known = false;  // by a token or a certificate of its own
  int64_t first_ns = 0, last_ns = 0, started_ns = 0;
  uint64_t cpu_ns = 0, memory_bytes = 0, spooled_bytes = 0, dropped_windows = 0;
  std::map<std::string, uint64_t> dropped_by;  // of those, by reason
  int64_t clock_ahead_ns = 0;                  // of the controller's, by its last report
  std::string trouble;                         // with its clock, or with what it has to send; and what to do
  std::vector<NodeTaskRow> tasks;
};

struct NodesAnswer {
  int64_t now_ns = 0;  // by the controller's clock
  std::vector<NodeRow> nodes;
};

struct TaskRow {
  std::string name, service, phase;  // running, stopped, ended
  std::vector<std::string> nodes;    // patterns; none: every node
  int64_t applied_ns = 0;
  int64_t ends_ns = 0;  // 0: it does not by itself
  bool is_from_above = false;
  uint64_t runs_on = 0, instances = 0, windows = 0;  // nodes that say so, and what they say
  std::vector<std::string> troubles;                 // "node: why", bounded
  std::string text;                                  // as it was applied
};

struct TasksAnswer {
  std::string done;  // what was done to them: "applied", "stopped", "deleted"; empty: nothing
  bool is_detailed = false;
  std::vector<TaskRow> tasks;
};

struct SeriesRow {
  int64_t start_ns = 0;
  int64_t total = 0;
  int64_t function_self = 0, function_total = 0;
  uint64_t windows = 0;  // 0: nothing is known of this step
};

struct SeriesAnswer {
  std::string service, value_type, unit, function;
  int64_t step_ns = 0;
  std::vector<SeriesRow> points;
  bool is_exact = true;
  std::vector<std::string> problems;  // what could not be read, and is not in the points
};

Result<ServicesAnswer> services(const ServicesRequest& request = {});
// The first ones; the others are counted.
ServicesAnswer in_detail(const ServicesAnswer& answer, const Detail& detail);
// "service:shop@-1h..now": how it is asked about; empty where its name does not let itself be written so.
std::string reference_of(const ServiceRow& row);
Result<NodesAnswer> nodes();
// It has to join again. Returns those that are left.
Result<NodesAnswer> forget_node(const std::string& node);

enum class TaskAction { List, Show, Apply, Stop, Delete };
struct TaskRequest {
  TaskAction action = TaskAction::List;
  std::string name;  // or the file to apply, "-": standard input
};
Result<TasksAnswer> task(const TaskRequest& request);

}  // namespace atys::verbs
