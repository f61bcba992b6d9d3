// SPDX-License-Identifier: Apache-2.0
#include "present/json/answers.h"
#include "present/json/common.h"

namespace atys::present::json {

std::string render(const verbs::LedgerAnswer& answer) {
  const budget::LedgerState& state = answer.state;
  JsonWriter json;
  json.begin_object().field("id", state.id).field("closed", state.is_closed).field("created_ns", state.created_unix_ns);
  json.field("calls", state.calls).field("calls_under_way", state.calls_under_way).field("calls_lost", state.calls_lost);
  write_charge(json, "limit", state.budget.in_all);
  write_charge(json, "limit_per_call", state.budget.per_call);
  write_charge(json, "spent", state.spent);
  write_charge(json, "reserved", state.reserved);
  write_charge(json, "left", state.left);
  write_charge(json, "overrun", state.overrun);
  json.end_object();
  return json.take();
}

}  // namespace atys::present::json
