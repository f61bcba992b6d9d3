// SPDX-License-Identifier: Apache-2.0
// list, show, remove
#include "present/json/answers.h"
#include "present/json/common.h"

namespace atys::present::json {

std::string render(const verbs::ListAnswer& answer) {
  JsonWriter json;
  json.begin_object().field("home", answer.home).key("profiles").begin_array();
  for (const verbs::ListRow& row : answer.rows) {
    json.begin_object().field("id", row.entry.id).field("path", row.entry.path).field("bytes", row.entry.bytes);
    json.field("kept_ns", row.entry.modified_ns).field("error", row.error).key("profile");
    write_profile(json, row.profile);
    json.end_object();
  }
  json.end_array().end_object();
  return json.take();
}

std::string render(const verbs::RemoveAnswer& answer) {
  JsonWriter json;
  json.begin_object();
  write_strings(json, "removed", answer.removed);
  json.end_object();
  return json.take();
}

namespace {

void write_tables(JsonWriter& json, const verbs::ShowAnswer& answer) {
  json.key("tables").begin_object().field("rows", answer.rows).field("stacks", answer.stacks).field("frames", answer.frames);
  json.field("functions", answer.functions)
      .field("strings", answer.strings)
      .field("memory_bytes", answer.memory_bytes)
      .end_object();
  json.key("mappings").begin_array();
  for (const auto& mapping : answer.mappings) {
    json.begin_object().field("filename", mapping.filename).field("build_id", mapping.build_id);
    json.field("start", mapping.start).field("limit", mapping.limit).end_object();
  }
  json.end_array();
}

}  // namespace

std::string render(const verbs::ShowAnswer& answer) {
  JsonWriter json;
  json.begin_object().key("profile");
  write_profile(json, answer.profile);
  json.key("value_types").begin_array();
  for (const auto& [type, total] : answer.value_types) {
    json.begin_object().field("type", type);
    write_value(json, "total", total);
    json.end_object();
  }
  json.end_array()
      .field("default_value", answer.default_value)
      .field("time_ns", answer.time_ns)
      .field("period", answer.period);
  write_tables(json, answer);
  json.key("labels").begin_array();
  for (const auto& label : answer.labels) {
    json.begin_object().field("key", label.key).field("values", label.values);
    write_strings(json, "examples", label.examples);
    json.end_object();
  }
  json.end_array();
  write_strings(json, "comments", answer.comments);
  json.key("provenance").begin_array();
  for (const auto& [key, value] : answer.provenance)
    json.begin_object().field("key", key).field("value", value).end_object();
  json.end_array().end_object();
  return json.take();
}

}  // namespace atys::present::json
