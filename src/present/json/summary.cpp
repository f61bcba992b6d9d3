// SPDX-License-Identifier: Apache-2.0
#include "present/fit.h"
#include "present/json/answers.h"
#include "present/json/common.h"
#include "present/json/estimate.h"

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
  if (!row.origin.empty()) {
    write_value(json, "charged", row.charged);
    json.field("charged_percent", row.charged_percent).field("origin", row.origin);
  }
  if (!row.callee.empty()) json.field("callee", row.callee).field("callee_percent", row.callee_percent);
  if (!row.source.empty()) json.field("source", row.source);
  if (row.phase != 0) json.field("phase", row.phase);
  if (row.is_shortened) json.field("shortened", true);
  if (form == "paths" || form == "raw" || form == "tree") write_strings(json, "path", row.path);
  if (form == "tree" || form == "calls") json.field("depth", row.depth).field("recursion", row.recursion);
  json.end_object();
}

}  // namespace

void write_rows(JsonWriter& json, const verbs::SummaryAnswer& answer) {
  json.key("rows").begin_array();
  for (const verbs::SummaryRow& row : answer.rows) write_row(json, row, answer.form);
  json.end_array();
}

namespace {

void write_phases(JsonWriter& json, const verbs::SummaryAnswer& answer) {
  json.key("phases").begin_array();
  for (const verbs::SummaryPhase& phase : answer.phases) {
    json.begin_object().field("number", phase.number);
    json.field("from_s", phase.from_seconds).field("to_s", phase.to_seconds);
    write_value(json, "value", phase.value);
    json.field("percent", phase.percent).end_object();
  }
  json.end_array();
}

std::string whole(const verbs::SummaryAnswer& answer) {
  JsonWriter json;
  json.begin_object().key("profile");
  write_profile(json, answer.profile);
  json.field("form", answer.form).field("by", answer.by);
  write_rows(json, answer);
  if (!answer.phases.empty()) write_phases(json, answer);
  if (answer.form == "brief") {
    json.key("calls").begin_array();
    for (const verbs::SummaryRow& row : answer.tree) write_row(json, row, "calls");
    json.end_array();
  }
  json.key("shares")
      .begin_object()
      .field("own", answer.shares.own)
      .field("library", answer.shares.library)
      .field("runtime", answer.shares.runtime)
      .field("outside", answer.shares.outside)
      .field("level", answer.shares.level)
      .end_object();
  write_strings(json, "remarks", answer.remarks);
  json.field("data_notice", kDataNotice);
  write_envelope(json, answer.omitted, answer.tokens, answer.next);
  write_budget(json, answer.ledger);
  json.end_object();
  return json.take();
}

}  // namespace

std::string render(const verbs::SummaryAnswer& answer) {
  if (!answer.tokens.cap) return estimated(answer, whole);
  const auto within = [](const verbs::SummaryAnswer& less, size_t estimate) {
    verbs::SummaryAnswer shown = less;
    shown.tokens.estimate = estimate;
    round_numbers(shown);
    return whole(shown);
  };
  const std::string text = fitted(answer, answer.full_names, all_rows(answer), within);
  return text.empty() ? too_short(*answer.tokens.cap) : text;
}

}  // namespace atys::present::json
