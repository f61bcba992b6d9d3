// SPDX-License-Identifier: Apache-2.0
#include "present/fit.h"
#include "present/json/answers.h"
#include "present/json/common.h"
#include "present/json/estimate.h"

namespace atys::present::json {

void write_change(JsonWriter& json, std::string_view key, const reduce::Change& change) {
  json.key(key).begin_object();
  write_value(json, "base", change.base);
  write_value(json, "new", change.fresh);
  write_value(json, "delta", change.delta);
  write_interval(json, "ci95", change.delta_ci95);
  json.end_object();
}

static std::string whole(const verbs::DiffAnswer& answer) {
  JsonWriter json;
  json.begin_object().key("base");
  write_profile(json, answer.base);
  json.key("new");
  write_profile(json, answer.fresh);
  json.field("form", answer.form)
      .field("by", answer.by)
      .field("measure", answer.measure == reduce::Measure::Self ? "self" : "total");
  json.field("significant_change", answer.has_significant_change)
      .field("distance", answer.distance)
      .key("rows")
      .begin_array();
  for (const reduce::DiffRow& row : answer.rows) {
    json.begin_object();
    write_entity(json, row.entity);
    write_value(json, "base", row.base);
    write_value(json, "new", row.fresh);
    json.field("base_percent", row.base_share * 100)
        .field("new_percent", row.fresh_share * 100)
        .field("delta_percent", row.delta * 100);
    write_interval(json, "ci95", {row.delta_ci95.low * 100, row.delta_ci95.high * 100});
    json.field("significant", row.significant);
    if (answer.has_work) write_change(json, "work", row.work);
    json.end_object();
  }
  json.end_array();
  json.field("verdict", reduce::to_string(answer.verdict)).field("per", answer.per);
  write_strings(json, "base_runs", answer.base_runs);
  write_strings(json, "new_runs", answer.fresh_runs);
  json.field("run_noise_known", answer.is_run_noise_known).field("resolution_percent", answer.resolution_percent);
  json.field("more_runs_needed", answer.more_runs_needed);
  if (answer.has_work) write_change(json, "total_work", answer.total_work);
  write_envelope(json, answer.omitted, answer.tokens, answer.next);
  write_budget(json, answer.ledger);
  json.end_object();
  return json.take();
}

std::string render(const verbs::DiffAnswer& answer) {
  if (!answer.tokens.cap) return estimated(answer, whole);
  const auto within = [](const verbs::DiffAnswer& less, size_t estimate) {
    verbs::DiffAnswer shown = less;
    shown.tokens.estimate = estimate;
    return whole(shown);
  };
  const std::string text = fitted(answer, false, answer.rows.size(), within);
  return text.empty() ? too_short(*answer.tokens.cap) : text;
}

}  // namespace atys::present::json
