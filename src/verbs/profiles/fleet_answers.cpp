// SPDX-License-Identifier: Apache-2.0
#include "verbs/profiles/fleet_answers.h"

#include <algorithm>

#include "base/utf8.h"
#include "fleet/service_query.h"
#include "reduce/pattern.h"
#include "verbs/profiles/ask_controller.h"
#include "verbs/profiles/task_file.h"
#include "verbs/view/what_there_is.h"

namespace atys::verbs {

namespace {

std::vector<std::string> texts_of(const Json& list) {
  std::vector<std::string> texts;
  for (const Json& item : list)
    if (item.is_string()) texts.push_back(item.get<std::string>());
  return texts;
}

uint64_t count_field(const Json& object, const char* key) {
  return static_cast<uint64_t>(std::max<int64_t>(int_field(object, key), 0));
}

ServiceRow service_of(const Json& json) {
  return {.service = text_field(json, "service"),
          .kinds = texts_of(list_field(json, "kinds")),
          .versions = texts_of(list_field(json, "versions")),
          .instances = count_field(json, "instances"),
          .windows = count_field(json, "windows"),
          .bytes = count_field(json, "bytes"),
          .first_ns = int_field(json, "first_ns"),
          .last_ns = int_field(json, "last_ns")};
}

NodeRow node_of(const Json& json) {
  NodeRow row{.node = text_field(json, "node"),
              .version = text_field(json, "version"),
              .metrics_address = text_field(json, "metrics_address"),
              .is_away = bool_field(json, "away"),
              .is_controller = bool_field(json, "controller"),
              .is_known = bool_field(json, "known"),
              .first_ns = int_field(json, "first_ns"),
              .last_ns = int_field(json, "last_ns"),
              .started_ns = int_field(json, "started_ns"),
              .cpu_ns = count_field(json, "cpu_ns"),
              .memory_bytes = count_field(json, "memory_bytes"),
              .spooled_bytes = count_field(json, "spooled_bytes"),
              .dropped_windows = count_field(json, "dropped_windows"),
              .clock_ahead_ns = int_field(json, "clock_ahead_ns"),
              .trouble = text_field(json, "trouble")};
  if (const auto dropped = json.find("dropped_by"); dropped != json.end() && dropped->is_object())
    for (const auto& [reason, value] : dropped->items())
      if (value.is_number_unsigned()) row.dropped_by[reason] = value.get<uint64_t>();
  if (const auto labels = json.find("labels"); labels != json.end() && labels->is_object())
    for (const auto& [key, value] : labels->items())
      if (value.is_string()) row.labels[key] = value.get<std::string>();
  for (const Json& task : list_field(json, "tasks"))
    row.tasks.push_back({.task = text_field(task, "task"),
                         .instances = count_field(task, "instances"),
                         .windows = count_field(task, "windows"),
                         .hz = number_field(task, "hz"),
                         .overhead = number_field(task, "overhead"),
                         .trouble = text_field(task, "trouble")});
  return row;
}

TaskRow task_of(const Json& json) {
  return {.name = text_field(json, "task"),
          .service = text_field(json, "service"),
          .phase = text_field(json, "phase"),
          .nodes = texts_of(list_field(json, "nodes")),
          .applied_ns = int_field(json, "applied_ns"),
          .ends_ns = int_field(json, "ends_ns"),
          .is_from_above = bool_field(json, "from_above"),
          .runs_on = count_field(json, "runs_on"),
          .instances = count_field(json, "instances"),
          .windows = count_field(json, "windows"),
          .troubles = texts_of(list_field(json, "troubles")),
          .text = text_field(json, "text")};
}

Result<TasksAnswer> ask_for_tasks(const std::string& method, const std::string& path, const std::string& body = {}) {
  const Json json = TRY(ask_controller_json(method, path, body, body.empty() ? "" : "application/yaml"));
  TasksAnswer answer{.done = text_field(json, "done")};
  for (const Json& item : list_field(json, "tasks")) answer.tasks.push_back(task_of(item));
  return answer;
}

Result<NodesAnswer> ask_for_nodes(const char* method, const std::string& path) {
  const Json json = TRY(ask_controller_json(method, path));
  NodesAnswer answer{.now_ns = int_field(json, "now_ns")};
  for (const Json& item : list_field(json, "nodes")) answer.nodes.push_back(node_of(item));
  return answer;
}

// Read here too, so that what is wrong is said with the name of the file, and without a controller.
Result<TasksAnswer> apply(const std::string& path) {
  const TaskFile file = TRY(read_task_file(path));
  return ask_for_tasks("PUT", "/api/v1/tasks/" + fleet::percent_encode(file.task.name), file.text);
}

}  // namespace

Result<ServicesAnswer> services(const ServicesRequest& request) {
  const reduce::Pattern pattern = TRY(reduce::Pattern::compile(request.pattern));
  const Json json = TRY(ask_controller_json("GET", "/api/v1/services"));
  ServicesAnswer answer;
  std::vector<std::string> names;
  for (const Json& item : list_field(json, "services")) {
    names.push_back(text_field(item, "service"));
    if (pattern.matches(names.back())) answer.services.push_back(service_of(item));
  }
  if (answer.services.empty() && !names.empty())
    return fail(ErrorCode::NotFound, "no service's name matches '" + request.pattern + "'",
                "there are " + listed_data(names));
  answer.problems = texts_of(list_field(json, "problems"));
  return answer;
}

ServicesAnswer in_detail(const ServicesAnswer& answer, const Detail& detail) {
  ServicesAnswer less = answer;
  if (less.services.size() > detail.rows) {
    less.omitted += less.services.size() - detail.rows;
    less.services.resize(detail.rows);
  }
  if (less.next.size() > detail.next) less.next.resize(detail.next);
  return less;
}

std::string reference_of(const ServiceRow& row) {
  const std::string text = std::string(fleet::kServicePrefix) + row.service + "@-1h..now";
  const auto query = fleet::parse_service_query(text, row.last_ns);
  return query.ok() && query->service == row.service && printable(text) == text ? text : std::string();
}

Result<NodesAnswer> nodes() { return ask_for_nodes("GET", "/api/v1/nodes"); }

Result<NodesAnswer> forget_node(const std::string& node) {
  return ask_for_nodes("DELETE", "/api/v1/nodes/" + fleet::percent_encode(node));
}

Result<TasksAnswer> task(const TaskRequest& request) {
  const std::string path = "/api/v1/tasks/" + fleet::percent_encode(request.name);
  switch (request.action) {
    case TaskAction::List: return ask_for_tasks("GET", "/api/v1/tasks");
    case TaskAction::Show: {
      TasksAnswer answer = TRY(ask_for_tasks("GET", path));
      answer.is_detailed = true;
      return answer;
    }
    case TaskAction::Apply: return apply(request.name);
    case TaskAction::Stop: return ask_for_tasks("POST", path + "/stop");
    case TaskAction::Delete: return ask_for_tasks("DELETE", path);
  }
  return fail(ErrorCode::Internal, "no such action");
}

}  // namespace atys::verbs
