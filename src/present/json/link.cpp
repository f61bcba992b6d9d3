// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "present/fit.h"
#include "present/json/answers.h"
#include "present/json/common.h"
#include "present/json/estimate.h"

namespace atys::present::json {

namespace {

std::string whole(const verbs::LinkAnswer& answer, FollowUpText as) {
  JsonWriter json;
  json.begin_object().key("profile");
  write_profile(json, answer.profile);
  json.field("asked", answer.asked);
  write_value(json, "value", answer.value);
  json.field("percent", answer.percent);
  write_count(json, "samples", answer.samples, answer.profile.is_count_known);
  json.field("form", to_string(answer.spent.form())).field("by", answer.spent.by);
  write_rows(json, answer.spent);
  json.field("groups_by", answer.groups.by).key("groups").begin_array();
  for (const reduce::TableRow& row : reduce::table_of(answer.groups.rows)) {
    json.begin_object().field("name", row.entity.name);
    write_value(json, "value", row.self);
    json.field("percent", row.self_percent);
    write_interval(json, "ci95", row.ci95);
    json.end_object();
  }
  json.end_array();
  write_envelope(json, {answer.spent.omitted.rows + answer.groups.omitted.rows, answer.spent.omitted.percent}, answer.tokens,
                 answer.next, as);
  write_budget(json, answer.ledger);
  json.end_object();
  return json.take();
}

}  // namespace

std::string render(const verbs::LinkAnswer& answer, FollowUpText as) {
  const auto unbounded = [as](const verbs::LinkAnswer& all) { return whole(all, as); };
  if (!answer.tokens.cap) return estimated(answer, unbounded);
  const auto within = [as](const verbs::LinkAnswer& less, size_t estimate) {
    verbs::LinkAnswer shown = less;
    shown.tokens.estimate = estimate;
    round_numbers(shown.spent);
    round_numbers(shown.groups);
    return whole(shown, as);
  };
  const size_t rows = std::max(all_rows(answer.spent), all_rows(answer.groups));
  const std::string text = fitted(answer, as, false, rows, within);
  return text.empty() ? too_short(*answer.tokens.cap) : text;
}

}  // namespace atys::present::json
