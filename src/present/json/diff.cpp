// SPDX-License-Identifier: Apache-2.0
#include "present/fit.h"
#include "present/json/answers.h"
#include "present/json/common.h"
#include "present/json/estimate.h"

namespace atys::present::json {

static void write_fields(JsonWriter& json, const reduce::Change& change) {
  write_value(json, "base", change.base);
  write_value(json, "new", change.fresh);
  write_value(json, "delta", change.delta);
  write_interval(json, "ci95", change.delta_ci95);
}

void write_change(JsonWriter& json, std::string_view key, const reduce::Change& change) {
  json.key(key).begin_object();
  write_fields(json, change);
  json.end_object();
}

namespace {

void write_total(JsonWriter& json, const verbs::DiffAnswer& answer) {
  json.key("total_change").begin_object();
  write_fields(json, answer.total);
  write_known(json, "significant", answer.has_total_change, answer.is_known);
  json.end_object();
}

void write_places(JsonWriter& json, std::string_view key, const std::vector<reduce::MatchedPlaces>& places) {
  json.key(key).begin_array();
  for (const reduce::MatchedPlaces& place : places)
    json.begin_object().field("base", place.base).field("new", place.fresh).field("functions", place.functions).end_object();
  json.end_array();
}

}  // namespace

void write_matching(JsonWriter& json, const reduce::MatchReport& matching) {
  json.key("matching").begin_object();
  json.field("same_place", matching.same_place).field("by_folder", matching.by_folder).field("by_file", matching.by_file);
  json.field("by_name", matching.by_name).field("by_line", matching.by_line);
  json.field("only_base", matching.only_base).field("only_new", matching.only_fresh);
  write_places(json, "folders", matching.folders);
  write_places(json, "files", matching.files);
  json.end_object();
}

void write_base_names(JsonWriter& json, const reduce::DiffRow& row) {
  if (!row.base_name.empty() && row.base_name != row.entity.name) json.field("base_name", row.base_name);
  if (!row.base_name.empty() && row.base_file != row.entity.file) json.field("base_file", row.base_file);
}

static std::string whole(const verbs::DiffAnswer& answer, FollowUpText as) {
  JsonWriter json;
  json.begin_object().key("base");
  write_profile(json, answer.base);
  json.key("new");
  write_profile(json, answer.fresh);
  json.field("form", to_string(answer.form))
      .field("by", answer.by)
      .field("measure", answer.measure == reduce::Measure::Self ? "self" : "total");
  write_known(json, "significant_change", answer.has_significant_change, answer.is_known);
  json.field("distance", answer.distance).key("rows").begin_array();
  for (const reduce::DiffRow& row : answer.rows) {
    json.begin_object();
    write_entity(json, row.entity);
    write_value(json, "base", row.base);
    write_value(json, "new", row.fresh);
    json.field("base_percent", row.base_share * 100)
        .field("new_percent", row.fresh_share * 100)
        .field("delta_percent", row.delta * 100);
    write_interval(json, "ci95", {row.delta_ci95.low * 100, row.delta_ci95.high * 100});
    write_known(json, "significant", row.significant, answer.is_known);
    if (answer.has_work) write_change(json, "work", row.work);
    if (row.is_in_step) json.field("in_step", true);
    write_base_names(json, row);
    json.end_object();
  }
  json.end_array();
  json.field("verdict", reduce::to_string(answer.verdict)).field("per", answer.per);
  write_strings(json, "base_runs", answer.base_runs);
  write_strings(json, "new_runs", answer.fresh_runs);
  json.field("run_noise_known", answer.is_run_noise_known).field("resolution_percent", answer.resolution_percent);
  json.field("more_runs_needed", answer.more_runs_needed);
  if (answer.has_work) write_change(json, "total_work", answer.total_work);
  write_total(json, answer);
  json.field("significant_rows", answer.significant_rows).field("certainty", answer.is_known ? "known" : "unknown");
  write_matching(json, answer.matching);
  write_envelope(json, answer.omitted, answer.tokens, answer.next, as);
  write_budget(json, answer.ledger);
  json.end_object();
  return json.take();
}

std::string render(const verbs::DiffAnswer& answer, FollowUpText as) {
  const auto unbounded = [as](const verbs::DiffAnswer& all) { return whole(all, as); };
  if (!answer.tokens.cap) return estimated(answer, unbounded);
  const auto within = [as](const verbs::DiffAnswer& less, size_t estimate) {
    verbs::DiffAnswer shown = less;
    shown.tokens.estimate = estimate;
    return whole(shown, as);
  };
  const std::string text = fitted(answer, as, false, answer.rows.size(), within);
  return text.empty() ? too_short(*answer.tokens.cap) : text;
}

}  // namespace atys::present::json
