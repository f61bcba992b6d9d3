// SPDX-License-Identifier: Apache-2.0
// merge, convert, flame, and errors
#include "present/json/answers.h"
#include "present/json/common.h"

namespace atys::present::json {

std::string render(const verbs::WrittenProfile& answer) {
  JsonWriter json;
  json.begin_object();
  write_written(json, answer);
  json.end_object();
  return json.take();
}

std::string render(const verbs::MergeAnswer& answer) {
  JsonWriter json;
  json.begin_object();
  write_written(json, answer.written);
  json.field("profiles", answer.profiles);
  write_strings(json, "mixed_value_types", answer.mixed_value_types);
  json.end_object();
  return json.take();
}

std::string render(const Error& error) {
  JsonWriter json;
  json.begin_object().key("error").begin_object().field("code", to_string(error.code)).field("message", error.message);
  json.field("hint", error.hint).end_object().end_object();
  return json.take();
}

}  // namespace atys::present::json
