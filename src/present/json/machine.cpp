// SPDX-License-Identifier: Apache-2.0
// detect, doctor
#include "present/json/answers.h"
#include "present/json/common.h"

namespace atys::present::json {

namespace {

std::vector<std::string> foreign_names(const verbs::DetectAnswer::Process& process) {
  std::vector<std::string> names;
  if (process.foreign.pid) names.emplace_back("pid");
  if (process.foreign.mount) names.emplace_back("mount");
  if (process.foreign.user) names.emplace_back("user");
  if (process.foreign.net) names.emplace_back("net");
  return names;
}

std::vector<std::string> names_of(const std::vector<linux::Cause>& causes) {
  std::vector<std::string> names;
  for (const linux::Cause cause : causes) names.emplace_back(to_string(cause));
  return names;
}

const char* status_of(const verbs::DetectAnswer::Process& process) {
  if (process.has_perf_map()) return "present";
  return process.perf_map_note.empty() ? "none" : "refused";
}

void write_process(JsonWriter& json, const verbs::DetectAnswer::Process& found) {
  const auto& process = found.process;
  json.begin_object().field("pid", process.pid).field("pid_in_namespace", process.pid_in_namespace);
  json.field("name", process.comm).field("executable", process.executable);
  json.field("executable_deleted", process.is_executable_deleted);
  write_strings(json, "command_line", process.command_line);
  json.field("user", process.uid).field("cgroup", process.cgroup);
  write_strings(json, "foreign_namespaces", foreign_names(found));
  json.field("kernel", found.kernel).field("why", found.why).field("readable", found.is_readable);
  json.field("build_id", found.build_id).field("stripped", found.is_stripped).field("debug_info", found.has_debug_info);
  json.field("debug_file", found.debug_file);
  json.key("perf_map").begin_object().field("status", status_of(found)).field("note", found.perf_map_note).end_object();
  json.key("runtimes").begin_array();
  for (const auto& runtime : found.runtimes) {
    json.begin_object().field("name", runtime.name).field("version", runtime.version);
    json.field("evidence", runtime.evidence).field("limits", runtime.limits).end_object();
  }
  json.end_array();
  write_strings(json, "notes", found.notes);
  json.end_object();
}

}  // namespace

std::string render(const verbs::DetectAnswer& answer) {
  JsonWriter json;
  json.begin_object().key("processes").begin_array();
  for (const auto& process : answer.processes) write_process(json, process);
  json.end_array().end_object();
  return json.take();
}

std::string render(const verbs::DoctorAnswer& answer) {
  JsonWriter json;
  json.begin_object().field("host", answer.host).field("kernel", answer.kernel).field("cpus", answer.cpus);
  json.field("user", answer.user).field("capabilities", answer.capabilities).field("container", answer.container);
  json.field("verdict", answer.verdict).key("fix").begin_object().field("command", answer.fix.command);
  write_strings(json, "gives", answer.fix.gives);
  json.key("starts").begin_array();
  for (const linux::StartLine& start : answer.fix.starts)
    json.begin_object().field("starter", start.starter).field("text", start.text).end_object();
  json.end_array().end_object().field("cause", answer.cause);
  json.key("checks").begin_array();
  for (const verbs::DoctorRow& row : answer.rows) {
    json.begin_object().field("name", row.name).field("status", to_string(row.health)).field("why", row.why);
    write_strings(json, "enable", row.enable);
    write_strings(json, "causes", names_of(row.causes));
    json.field("cost", row.cost).end_object();
  }
  json.end_array().field("tier", answer.tier).field("tier_why", answer.tier_why);
  write_strings(json, "works", answer.works);
  write_strings(json, "will_not_work", answer.will_not_work);
  json.end_object();
  return json.take();
}

}  // namespace atys::present::json
