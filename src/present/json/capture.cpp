// SPDX-License-Identifier: Apache-2.0
#include "present/json/answers.h"
#include "present/json/common.h"

namespace atys::present::json {

namespace {

void write_own_budget(JsonWriter& json, const verbs::CaptureAnswer& answer) {
  json.key("budget").begin_object().key("asked").begin_object();
  json.field("hz", answer.asked_hz).field("overhead_percent", answer.asked_overhead_percent);
  json.field("duration_ns", answer.asked_duration_ns).field("samples", answer.asked_samples).end_object();
  json.key("granted").begin_array();
  for (const verbs::RateGrant& grant : answer.grants)
    json.begin_object().field("from_seconds", grant.seconds).field("hz", grant.hz).end_object();
  json.end_array().key("used").begin_object();
  json.field("duration_ns", answer.duration_ns)
      .field("samples", answer.samples)
      .field("setup_cpu_ns", answer.setup_cpu_ns)
      .field("own_cpu_ns", answer.own_cpu_ns);
  json.field("first_looks_cpu_ns", answer.first_looks_cpu_ns);
  json.field("kernel_cpu_ns", answer.kernel_cpu_ns).field("finish_cpu_ns", answer.finish_cpu_ns);
  json.field("target_cpu_ns", answer.target_cpu_ns).field("peak_bytes", answer.peak_bytes);
  json.field("overhead_percent", answer.overhead_percent).end_object();
  if (answer.ledger) write_report(json, *answer.ledger);
  json.end_object();
}

void write_plan(JsonWriter& json, const verbs::CaptureAnswer& answer) {
  json.key("plan").begin_object().field("name", to_string(answer.plan)).key("steps").begin_array();
  for (const verbs::PlanStep& step : answer.steps) {
    json.begin_object()
        .field("kind", to_string(step.kind))
        .field("from_seconds", step.from_seconds)
        .field("seconds", step.seconds);
    json.field("hz", step.hz).field("samples", step.samples).field("why", step.why).end_object();
  }
  json.end_array().end_object();
}

}  // namespace

std::string render(const verbs::CaptureAnswer& answer, FollowUpText as) {
  JsonWriter json;
  json.begin_object();
  write_written(json, answer.written);
  json.field("tier", answer.tier).field("ended", to_string(answer.ended)).field("exit_status", answer.exit_status);
  if (answer.command.end != verbs::CommandEnd::None)
    json.key("command")
        .begin_object()
        .field("state", to_string(answer.command.end))
        .field("pid", answer.command.pid)
        .end_object();
  write_plan(json, answer);
  write_own_budget(json, answer);
  json.key("profile");
  write_profile(json, answer.summary.profile);
  write_rows(json, answer.summary);
  write_strings(json, "notes", answer.notes);
  write_next(json, answer.summary.next, as);
  json.end_object();
  return json.take();
}

}  // namespace atys::present::json
