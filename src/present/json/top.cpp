// SPDX-License-Identifier: Apache-2.0
#include "present/json/answers.h"
#include "present/json/common.h"

namespace atys::present::json {

std::string render(const verbs::TopAnswer& answer) {
  JsonWriter json;
  json.begin_object().key("profile");
  write_profile(json, answer.summary.profile);
  write_rows(json, answer.summary);
  json.field("function", answer.function).key("callers").begin_array();
  for (const verbs::CallerRow& caller : answer.callers) {
    json.begin_object().field("name", caller.name);
    write_value(json, "value", caller.value);
    json.field("percent", caller.percent).end_object();
  }
  json.end_array()
      .field("hz", answer.hz)
      .field("overhead_percent", answer.overhead_percent)
      .field("is_last", answer.is_last);
  json.end_object();
  return json.take();
}

}  // namespace atys::present::json
