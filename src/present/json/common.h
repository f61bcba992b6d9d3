// SPDX-License-Identifier: Apache-2.0
// Parts that several answers share.
#pragma once

#include "base/json.h"
#include "reduce/attribution.h"
#include "reduce/confidence.h"
#include "reduce/diff.h"
#include "verbs/output.h"
#include "verbs/summary.h"
#include "verbs/view.h"

namespace atys::present::json {

void write_profile(JsonWriter& json, const verbs::ProfileInfo& profile);
void write_entity(JsonWriter& json, const reduce::Entity& entity);
void write_interval(JsonWriter& json, std::string_view key, const reduce::Interval& interval);
// "omitted", "tokens" and "next".
void write_envelope(JsonWriter& json, const verbs::Omitted& omitted, const verbs::Tokens& tokens,
                    const std::vector<std::string>& next);
// Value per work of both sides, with the interval of the difference.
void write_change(JsonWriter& json, std::string_view key, const reduce::Change& change);
// "rows" of a summary.
void write_rows(JsonWriter& json, const verbs::SummaryAnswer& answer);
void write_strings(JsonWriter& json, std::string_view key, const std::vector<std::string>& strings);
// Where a profile was written, as fields of the object that is open.
void write_written(JsonWriter& json, const verbs::WrittenProfile& written);

// Values are whole numbers wherever a double holds them exactly.
void write_value(JsonWriter& json, std::string_view key, double value);

}  // namespace atys::present::json
