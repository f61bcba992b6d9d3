// SPDX-License-Identifier: Apache-2.0
#include <variant>
#include <vector>

#include "present/fit.h"
#include "present/json/answers.h"
#include "present/json/common.h"
#include "present/json/estimate.h"

namespace atys::present::json {

namespace {

void write_charged(JsonWriter& json, double value, double percent, reduce::Origin origin) {
  write_value(json, "charged", value);
  json.field("charged_percent", percent).field("origin", to_string(origin));
}

void write_shortened(JsonWriter& json, const reduce::CostRow& row) {
  if (row.is_shortened) json.field("shortened", true);
}

// What a row has beside its costs.
void write_rest(JsonWriter& json, const reduce::TableRow& row) {
  if (row.charged) write_charged(json, row.charged->value, row.charged->percent, row.charged->origin);
  write_shortened(json, row);
}

void write_payment(JsonWriter& json, const reduce::PayingRow& row) {
  write_charged(json, row.charged.value, row.charged.percent, row.charged.origin);
  if (!row.callee.empty()) json.field("callee", row.callee).field("callee_percent", row.callee_percent);
}

void write_rest(JsonWriter& json, const reduce::LineRow& row) {
  write_payment(json, row);
  if (!row.source.empty()) json.field("source", row.source);
  write_shortened(json, row);
}

void write_rest(JsonWriter& json, const reduce::RawStack& row) {
  write_shortened(json, row);
  write_strings(json, "path", row.path);
}

void write_rest(JsonWriter& json, const reduce::HotPath& row) {
  if (row.phase != 0) json.field("phase", row.phase);
  write_rest(json, static_cast<const reduce::RawStack&>(row));
}

// What other code costs is in the self value of a node already.
void write_node(JsonWriter& json, const reduce::TreeNode& node, bool with_path) {
  write_charged(json, node.self, node.self_percent, node.origin);
  write_shortened(json, node);
  if (with_path) write_strings(json, "path", node.path);
  json.field("depth", node.depth).field("recursion", node.recursion);
}

void write_rest(JsonWriter& json, const reduce::TreeNode& node) { write_node(json, node, true); }

void write_rest(JsonWriter& json, const reduce::BriefRow& row) {
  write_payment(json, row);
  write_shortened(json, row);
}

void write_costs(JsonWriter& json, const reduce::CostRow& row) {
  write_entity(json, row.entity);
  write_value(json, "self", row.self);
  json.field("self_percent", row.self_percent);
  write_value(json, "total", row.total);
  json.field("total_percent", row.total_percent);
  write_interval(json, "ci95", row.ci95);
}

}  // namespace

void write_rows(JsonWriter& json, const verbs::SummaryAnswer& answer) {
  json.key("rows").begin_array();
  const auto write = [&](const auto& of_form) {
    for (const auto& row : of_form.rows) {
      json.begin_object();
      write_costs(json, row);
      write_rest(json, row);
      json.end_object();
    }
  };
  std::visit(write, answer.rows);
  json.end_array();
}

namespace {

void write_phases(JsonWriter& json, const std::vector<reduce::HotPhase>& phases) {
  json.key("phases").begin_array();
  for (const reduce::HotPhase& phase : phases) {
    json.begin_object().field("number", phase.number);
    json.field("from_s", phase.from_seconds).field("to_s", phase.to_seconds);
    write_value(json, "value", phase.value);
    json.field("percent", phase.percent).end_object();
  }
  json.end_array();
}

void write_calls(JsonWriter& json, const std::vector<reduce::TreeNode>& calls) {
  json.key("calls").begin_array();
  for (const reduce::TreeNode& call : calls) {
    json.begin_object();
    write_costs(json, call);
    write_node(json, call, false);
    json.end_object();
  }
  json.end_array();
}

std::string whole(const verbs::SummaryAnswer& answer, FollowUpText as) {
  JsonWriter json;
  json.begin_object().key("profile");
  write_profile(json, answer.profile);
  json.field("form", to_string(answer.form())).field("by", answer.by);
  write_rows(json, answer);
  if (const auto* paths = std::get_if<reduce::PathRows>(&answer.rows); paths != nullptr && !paths->phases.empty())
    write_phases(json, paths->phases);
  if (const auto* brief = std::get_if<reduce::BriefRows>(&answer.rows)) write_calls(json, brief->calls);
  json.key("shares")
      .begin_object()
      .field("own", answer.shares.own)
      .field("library", answer.shares.library)
      .field("runtime", answer.shares.runtime)
      .field("outside", answer.shares.outside)
      .field("level", to_string(answer.shares.level))
      .end_object();
  write_strings(json, "remarks", answer.remarks);
  json.field("data_notice", kDataNotice);
  write_envelope(json, answer.omitted, answer.tokens, answer.next, as);
  write_budget(json, answer.ledger);
  json.end_object();
  return json.take();
}

}  // namespace

std::string render(const verbs::SummaryAnswer& answer, FollowUpText as) {
  const auto unbounded = [as](const verbs::SummaryAnswer& all) { return whole(all, as); };
  if (!answer.tokens.cap) return estimated(answer, unbounded);
  const auto within = [as](const verbs::SummaryAnswer& less, size_t estimate) {
    verbs::SummaryAnswer shown = less;
    shown.tokens.estimate = estimate;
    round_numbers(shown);
    return whole(shown, as);
  };
  const std::string text = fitted(answer, as, answer.full_names, all_rows(answer), within);
  return text.empty() ? too_short(*answer.tokens.cap) : text;
}

}  // namespace atys::present::json
