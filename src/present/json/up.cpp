// SPDX-License-Identifier: Apache-2.0
#include "present/json/answers.h"
#include "present/json/common.h"

namespace atys::present::json {

std::string render(const verbs::UpAnswer& answer) {
  JsonWriter json;
  json.begin_object().field("node", answer.node).field("agent_cpu_percent", 100 * answer.agent_cpu_share);
  json.key("services").begin_array();
  for (const verbs::UpService& service : answer.services) {
    json.begin_object()
        .field("service", service.service)
        .field("cores", service.cores)
        .field("processes", service.processes);
    if (service.top) {
      write_rows(json, *service.top);
    } else {
      json.key("rows").begin_array().end_array();
    }
    json.end_object();
  }
  json.end_array().end_object();
  return json.take();
}

}  // namespace atys::present::json
