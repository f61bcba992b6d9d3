// SPDX-License-Identifier: Apache-2.0
#include "present/fit.h"
#include "present/json/answers.h"
#include "present/json/common.h"
#include "present/json/estimate.h"

namespace atys::present::json {

namespace {

void write_side(JsonWriter& json, std::string_view key, const verbs::TimedSide& side) {
  json.key(key).begin_object();
  json.field("command", side.command).field("runs", side.runs).field("failures", side.failures);
  json.field("exit_status", side.exit_status).field("error", side.error);
  write_value(json, "wall_ns", side.wall_ns);
  write_value(json, "cpu_ns", side.cpu_ns);
  json.field("wall_spread_percent", side.wall_spread * 100).field("cpu_spread_percent", side.cpu_spread * 100);
  json.field("peak_bytes", side.peak_bytes).field("output_bytes", side.output_bytes);
  json.field("left_behind", side.left_behind).field("profile", side.profile).end_object();
}

void write_judgement(JsonWriter& json, std::string_view key, const reduce::Judgement& by) {
  json.key(key).begin_object();
  json.field("verdict", reduce::to_string(by.verdict)).field("pairs", by.pairs).field("ratio", by.ratio);
  write_interval(json, "ratio_ci95", by.ratio_ci95);
  json.field("sign_p", by.sign_p).field("signed_rank_p", by.signed_rank_p);
  json.field("noise_floor_percent", by.noise_floor * 100).field("threshold_percent", by.threshold * 100);
  json.field("more_runs_needed", by.more_pairs).end_object();
}

void write_looks(JsonWriter& json, const std::vector<verbs::CompareLook>& looks) {
  json.key("looks").begin_array();
  for (const verbs::CompareLook& look : looks)
    json.begin_object()
        .field("runs", look.pairs)
        .field("level", look.level)
        .field("verdict", reduce::to_string(look.verdict))
        .end_object();
  json.end_array();
}

void write_instructions(JsonWriter& json, const verbs::Instructions& instructions) {
  json.key("instructions").begin_object().field("source", instructions.source);
  write_value(json, "a", instructions.a);
  write_value(json, "b", instructions.b);
  json.field("why_not", instructions.why_not).end_object();
}

void write_functions(JsonWriter& json, const verbs::CompareAnswer& answer) {
  const reduce::Diff& found = answer.functions;
  json.key("functions").begin_object();
  json.field("by", answer.by).field("measure", answer.measure == reduce::Measure::Self ? "self" : "total");
  json.field("unit", answer.unit).field("profiles", answer.profiled_runs).field("repeats", answer.repeats);
  json.field("why_not", answer.why_no_profile);
  json.field("verdict", answer.profiled_runs < 2 ? "inconclusive" : reduce::to_string(found.verdict));
  json.field("tested", found.tested).field("resolution_percent", found.resolution * 100);
  json.field("more_profiles_needed", answer.more_runs_needed);
  write_change(json, "total", found.total_work);
  json.key("rows").begin_array();
  for (const reduce::DiffRow& row : found.rows) {
    json.begin_object();
    write_entity(json, row.entity);
    write_change(json, "work", row.work);
    json.field("p_value", row.work.p_value).field("significant", row.significant);
    write_base_names(json, row);
    json.end_object();
  }
  json.end_array();
  json.field("total_significant", found.has_total_change);
  write_matching(json, answer.matching);
  json.end_object();
}

void write_headroom(JsonWriter& json, const std::vector<verbs::Headroom>& headroom) {
  json.key("headroom").begin_array();
  for (const verbs::Headroom& row : headroom) {
    json.begin_object();
    write_entity(json, row.entity);
    json.field("percent", row.share * 100).field("best_ratio", row.best_ratio).end_object();
  }
  json.end_array();
}

std::string whole(const verbs::CompareAnswer& answer, FollowUpText as) {
  JsonWriter json;
  json.begin_object();
  json.field("verdict", reduce::to_string(answer.verdict)).field("metric", answer.metric ? to_string(*answer.metric) : "");
  json.field("metric_reason", answer.metric_reason);
  write_side(json, "a", answer.a);
  write_side(json, "b", answer.b);
  write_judgement(json, "wall", answer.wall);
  write_judgement(json, "cpu", answer.cpu);
  write_looks(json, answer.looks);
  json.field("least_difference_percent", answer.least_difference * 100);
  json.field("ended", to_string(answer.ended)).field("seed", answer.seed).field("elapsed_ns", answer.elapsed_ns);
  write_instructions(json, answer.instructions);
  json.field("output", to_string(answer.output));
  write_functions(json, answer);
  write_headroom(json, answer.headroom);
  write_strings(json, "notes", answer.notes);
  write_envelope(json, answer.omitted, answer.tokens, answer.next, as);
  write_budget(json, answer.ledger);
  json.end_object();
  return json.take();
}

}  // namespace

std::string render(const verbs::CompareAnswer& answer, FollowUpText as) {
  const auto unbounded = [as](const verbs::CompareAnswer& all) { return whole(all, as); };
  if (!answer.tokens.cap) return estimated(answer, unbounded);
  const auto within = [as](const verbs::CompareAnswer& less, size_t estimate) {
    verbs::CompareAnswer shown = less;
    shown.tokens.estimate = estimate;
    return whole(shown, as);
  };
  const std::string text = fitted(answer, as, false, answer.functions.rows.size(), within);
  return text.empty() ? too_short(*answer.tokens.cap) : text;
}

}  // namespace atys::present::json
