// SPDX-License-Identifier: Apache-2.0
#include "present/json/answers.h"
#include "present/json/common.h"

namespace atys::present::json {

std::string render(const verbs::LinkAnswer& answer) {
  JsonWriter json;
  json.begin_object().key("profile");
  write_profile(json, answer.profile);
  json.field("asked", answer.asked);
  write_value(json, "value", answer.value);
  json.field("percent", answer.percent).field("samples", answer.samples);
  json.field("form", answer.spent.form).field("by", answer.spent.by);
  write_rows(json, answer.spent);
  json.field("groups_by", answer.groups.by).key("groups").begin_array();
  for (const verbs::SummaryRow& row : answer.groups.rows) {
    json.begin_object().field("name", row.entity.name);
    write_value(json, "value", row.self);
    json.field("percent", row.self_percent);
    write_interval(json, "ci95", row.ci95);
    json.end_object();
  }
  json.end_array();
  write_envelope(json, {answer.spent.omitted.rows + answer.groups.omitted.rows, answer.spent.omitted.percent}, answer.tokens,
                 answer.next);
  json.end_object();
  return json.take();
}

}  // namespace atys::present::json
