// SPDX-License-Identifier: Apache-2.0
#include "present/json/answers.h"
#include "present/json/common.h"

namespace atys::present::json {

namespace {

void write_row(JsonWriter& json, const verbs::SummaryRow& row, const std::string& form) {
  json.begin_object();
  write_entity(json, row.entity);
  write_value(json, "self", row.self);
  json.field("self_percent", row.self_percent);
  write_value(json, "total", row.total);
  json.field("total_percent", row.total_percent);
  write_interval(json, "ci95", row.ci95);
  if (form != "table" && form != "lines") write_strings(json, "path", row.path);
  if (form == "tree") json.field("depth", row.depth).field("recursion", row.recursion);
  json.end_object();
}

}  // namespace

void write_rows(JsonWriter& json, const verbs::SummaryAnswer& answer) {
  json.key("rows").begin_array();
  for (const verbs::SummaryRow& row : answer.rows) write_row(json, row, answer.form);
  json.end_array();
}

std::string render(const verbs::SummaryAnswer& answer) {
  JsonWriter json;
  json.begin_object().key("profile");
  write_profile(json, answer.profile);
  json.field("form", answer.form).field("by", answer.by);
  write_rows(json, answer);
  write_envelope(json, answer.omitted, answer.tokens, answer.next);
  write_budget(json, answer.ledger);
  json.end_object();
  return json.take();
}

}  // namespace atys::present::json
