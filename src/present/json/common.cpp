// SPDX-License-Identifier: Apache-2.0
#include "present/json/common.h"

#include <cmath>

namespace atys::present::json {

void write_value(JsonWriter& json, std::string_view key, double value) {
  if (std::abs(value) < 9007199254740992.0 && value == std::trunc(value)) {
    json.field(key, static_cast<int64_t>(value));
  } else {
    json.field(key, value);
  }
}

void write_count(JsonWriter& json, std::string_view key, double count, bool is_known) {
  if (is_known) {
    write_value(json, key, count);
  } else {
    json.key(key).null();
  }
}

void write_known(JsonWriter& json, std::string_view key, bool value, bool is_known) {
  json.key(key);
  if (is_known) {
    json.value(value);
  } else {
    json.null();
  }
}

void write_strings(JsonWriter& json, std::string_view key, const std::vector<std::string>& strings) {
  json.key(key).begin_array();
  for (const std::string& string : strings) json.value(string);
  json.end_array();
}

void write_profile(JsonWriter& json, const verbs::ProfileInfo& profile) {
  json.begin_object();
  json.field("id", profile.id).field("name", profile.name).field("kind", profile.kind).field("unit", profile.unit);
  write_count(json, "samples", profile.samples, profile.is_count_known);
  write_count(json, "effective_samples", profile.effective_samples, profile.is_count_known);
  write_value(json, "total", profile.total);
  json.field("duration_ns", profile.duration_ns);
  write_strings(json, "targets", profile.targets);
  json.key("loss").begin_array();
  for (const verbs::LossInfo& loss : profile.loss)
    json.begin_object()
        .field("reason", loss.reason)
        .field("count", loss.count)
        .field("in_samples", loss.is_in_samples)
        .end_object();
  json.end_array();
  json.key("overhead")
      .begin_object()
      .field("cpu_percent", profile.overhead_cpu_percent)
      .field("bytes", profile.overhead_bytes)
      .end_object();
  json.end_object();
}

void write_entity(JsonWriter& json, const reduce::Entity& entity) {
  json.field("name", entity.name).field("file", entity.file).field("line", entity.line).field("module", entity.module);
  json.field("frame_kind", entity.kind);
}

void write_interval(JsonWriter& json, std::string_view key, const reduce::Interval& interval) {
  json.key(key);
  if (!interval.is_known()) {
    json.null();
    return;
  }
  json.begin_array().value(interval.low).value(interval.high).end_array();
}

void write_envelope(JsonWriter& json, const verbs::Omitted& omitted, const verbs::Tokens& tokens,
                    const std::vector<verbs::FollowUp>& next, FollowUpText as) {
  json.key("omitted").begin_object().field("rows", omitted.rows).field("percent", omitted.percent);
  if (!omitted.groups.empty()) {
    json.key("groups").begin_array();
    for (const verbs::OmittedGroup& group : omitted.groups)
      json.begin_object().field("name", group.name).field("rows", group.rows).field("percent", group.percent).end_object();
    json.end_array();
  }
  json.end_object();
  json.key("tokens").begin_object().key("cap");
  if (tokens.cap) {
    json.value(*tokens.cap);
  } else {
    json.null();
  }
  json.field("estimate", tokens.estimate).end_object();
  write_next(json, next, as);
}

void write_next(JsonWriter& json, const std::vector<verbs::FollowUp>& next, FollowUpText as) {
  json.key("next").begin_array();
  for (const verbs::FollowUp& question : next) json.value(as(question));
  json.end_array();
}

void write_written(JsonWriter& json, const verbs::WrittenProfile& written) {
  json.field("id", written.id).field("path", written.path).field("format", written.format);
  write_count(json, "samples", written.samples, written.is_count_known);
  write_strings(json, "left_out", written.left_out);
}

void write_charge(JsonWriter& json, std::string_view key, const budget::Charge& charge) {
  json.key(key).begin_object();
  for (const budget::Resource& resource : budget::kResources) {
    json.key(resource.key);
    if (charge.*resource.amount == budget::kUnbounded) {
      json.null();
    } else {
      json.value(charge.*resource.amount);
    }
  }
  json.end_object();
}

void write_report(JsonWriter& json, const verbs::BudgetReport& report) {
  json.field("ledger", report.ledger);
  write_charge(json, "charged", report.charged);
  write_charge(json, "left", report.left);
  write_strings(json, "lowered", report.lowered);
}

void write_budget(JsonWriter& json, const std::optional<verbs::BudgetReport>& report) {
  if (!report) return;
  json.key("budget").begin_object();
  write_report(json, *report);
  json.end_object();
}

}  // namespace atys::present::json
