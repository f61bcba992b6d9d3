// SPDX-License-Identifier: Apache-2.0
#include "present/json/fleet.h"

#include "present/fit.h"
#include "present/json/common.h"

namespace atys::present::json {

namespace {

std::string whole(const verbs::ServicesAnswer& answer, FollowUpText as) {
  JsonWriter json;
  json.begin_object().key("services").begin_array();
  for (const verbs::ServiceRow& row : answer.services) {
    json.begin_object().field("service", row.service);
    write_strings(json, "kinds", row.kinds);
    write_strings(json, "versions", row.versions);
    json.field("instances", row.instances).field("windows", row.windows).field("bytes", row.bytes);
    json.field("first_ns", row.first_ns).field("last_ns", row.last_ns).end_object();
  }
  json.end_array();
  write_strings(json, "problems", answer.problems);
  if (answer.omitted > 0) json.field("omitted", answer.omitted);
  if (!answer.next.empty()) write_next(json, answer.next, as);
  write_budget(json, answer.ledger);
  json.end_object();
  return json.take();
}

}  // namespace

std::string render(const verbs::ServicesAnswer& answer, FollowUpText as) {
  if (!answer.tokens.cap) return whole(answer, as);
  const auto shown = [as](const verbs::ServicesAnswer& less, size_t) { return whole(less, as); };
  Fit fit = most_rows(answer, {}, answer.services.size(), shown);
  return fit.rows > 0 || answer.services.empty() ? fit.text.text : rendered(answer, {.rows = 0, .next = 0}, shown).text;
}

namespace {

void write_node(JsonWriter& json, const verbs::NodeRow& row) {
  json.begin_object().field("node", row.node).field("version", row.version).field("metrics_address", row.metrics_address);
  json.key("labels").begin_object();
  for (const auto& [key, value] : row.labels) json.field(key, value);
  json.end_object().field("away", row.is_away).field("controller", row.is_controller);
  json.field("known", row.is_known);
  json.field("first_ns", row.first_ns).field("last_ns", row.last_ns).field("started_ns", row.started_ns);
  json.field("cpu_ns", row.cpu_ns).field("memory_bytes", row.memory_bytes).field("spooled_bytes", row.spooled_bytes);
  json.field("dropped_windows", row.dropped_windows).key("dropped_by").begin_object();
  for (const auto& [reason, count] : row.dropped_by) json.field(reason, count);
  json.end_object().field("clock_ahead_ns", row.clock_ahead_ns).field("trouble", row.trouble);
  json.key("tasks").begin_array();
  for (const verbs::NodeTaskRow& task : row.tasks) {
    json.begin_object().field("task", task.task).field("instances", task.instances).field("windows", task.windows);
    json.field("hz", task.hz).field("overhead", task.overhead).field("trouble", task.trouble).end_object();
  }
  json.end_array().end_object();
}

void write_task(JsonWriter& json, const verbs::TaskRow& row) {
  json.begin_object().field("task", row.name).field("service", row.service).field("phase", row.phase);
  write_strings(json, "nodes", row.nodes);
  json.field("applied_ns", row.applied_ns).field("ends_ns", row.ends_ns).field("from_above", row.is_from_above);
  json.field("runs_on", row.runs_on).field("instances", row.instances).field("windows", row.windows);
  write_strings(json, "troubles", row.troubles);
  json.field("text", row.text).end_object();
}

}  // namespace

std::string render(const verbs::NodesAnswer& answer) {
  JsonWriter json;
  json.begin_object().field("now_ns", answer.now_ns).key("nodes").begin_array();
  for (const verbs::NodeRow& row : answer.nodes) write_node(json, row);
  json.end_array().end_object();
  return json.take();
}

std::string render(const verbs::TasksAnswer& answer) {
  JsonWriter json;
  json.begin_object().field("done", answer.done).key("tasks").begin_array();
  for (const verbs::TaskRow& row : answer.tasks) write_task(json, row);
  json.end_array().end_object();
  return json.take();
}

std::string render(const verbs::SeriesAnswer& answer) {
  JsonWriter json;
  json.begin_object().field("service", answer.service).field("value_type", answer.value_type).field("unit", answer.unit);
  json.field("function", answer.function).field("step_ns", answer.step_ns).key("points").begin_array();
  for (const verbs::SeriesRow& point : answer.points) {
    json.begin_object().field("start_ns", point.start_ns).field("total", point.total).field("windows", point.windows);
    if (!answer.function.empty())
      json.field("function_self", point.function_self).field("function_total", point.function_total);
    json.end_object();
  }
  json.end_array().field("exact", answer.is_exact);
  write_strings(json, "problems", answer.problems);
  json.end_object();
  return json.take();
}

}  // namespace atys::present::json
