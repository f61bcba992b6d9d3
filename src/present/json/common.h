// SPDX-License-Identifier: Apache-2.0
// Parts that several answers share.
#pragma once

#include "base/json.h"
#include "present/follow_up_text.h"
#include "reduce/attribution.h"
#include "reduce/common_names.h"
#include "reduce/confidence.h"
#include "reduce/diff.h"
#include "verbs/profiles/output.h"
#include "verbs/summary.h"
#include "verbs/view/view.h"

namespace atys::present::json {

void write_profile(JsonWriter& json, const verbs::ProfileInfo& profile);
void write_entity(JsonWriter& json, const reduce::Entity& entity);
void write_interval(JsonWriter& json, std::string_view key, const reduce::Interval& interval);
// "omitted", "tokens" and "next".
void write_envelope(JsonWriter& json, const verbs::Omitted& omitted, const verbs::Tokens& tokens,
                    const std::vector<verbs::FollowUp>& next, FollowUpText as);
void write_next(JsonWriter& json, const std::vector<verbs::FollowUp>& next, FollowUpText as);
// Value per work of both sides, with the interval of the difference.
void write_change(JsonWriter& json, std::string_view key, const reduce::Change& change);
// "matching": how the functions of the two sides were found in each other.
void write_matching(JsonWriter& json, const reduce::MatchReport& matching);
// "base_name" and "base_file" of a row, where the base has others.
void write_base_names(JsonWriter& json, const reduce::DiffRow& row);
// "rows" of a summary.
void write_rows(JsonWriter& json, const verbs::SummaryAnswer& answer);
void write_strings(JsonWriter& json, std::string_view key, const std::vector<std::string>& strings);
// Where a profile was written, as fields of the object that is open.
void write_written(JsonWriter& json, const verbs::WrittenProfile& written);

// "ledger", "charged", "left" and "lowered", as fields of the object that is open.
void write_report(JsonWriter& json, const verbs::BudgetReport& report);
// "budget", where a ledger pays.
void write_budget(JsonWriter& json, const std::optional<verbs::BudgetReport>& report);
// What has no limit is null.
void write_charge(JsonWriter& json, std::string_view key, const budget::Charge& charge);

// Values are whole numbers wherever a double holds them exactly.
void write_value(JsonWriter& json, std::string_view key, double value);
// What is not known is null.
void write_count(JsonWriter& json, std::string_view key, double count, bool is_known);
void write_known(JsonWriter& json, std::string_view key, bool value, bool is_known);

}  // namespace atys::present::json
