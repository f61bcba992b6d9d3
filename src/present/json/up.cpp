// SPDX-License-Identifier: Apache-2.0
#include "present/json/answers.h"
#include "present/json/common.h"

namespace atys::present::json {

namespace {

constexpr double kNsPerSecond = 1e9;

}  // namespace

std::string render(const verbs::UpAnswer& answer) {
  JsonWriter json;
  json.begin_object()
      .field("node", answer.node)
      .field("agent_cpu_percent", 100 * answer.agent_cpu_share)
      .field("agent_cpu_budget_percent", 100 * answer.agent_cpu_budget)
      .field("agent_begin_cpu_seconds", static_cast<double>(answer.begun_for_ns) / kNsPerSecond)
      .field("watched_seconds", static_cast<double>(answer.watched_ns) / kNsPerSecond)
      .field("least_cores", answer.least_cores)
      .field("range_seconds", static_cast<double>(std::min(answer.range_ns, answer.watched_ns)) / kNsPerSecond);
  json.key("services").begin_array();
  for (const verbs::UpService& service : answer.services) {
    json.begin_object()
        .field("service", service.service)
        .field("cores", service.cores)
        .field("processes", service.processes)
        .field("windows", service.windows)
        .field("trouble", service.trouble);
    if (service.top) {
      write_rows(json, *service.top);
    } else {
      json.key("rows").begin_array().end_array();
    }
    json.end_object();
  }
  json.end_array().field("hidden_services", answer.hidden).end_object();
  return json.take();
}

}  // namespace atys::present::json
