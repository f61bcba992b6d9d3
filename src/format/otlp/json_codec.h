// SPDX-License-Identifier: Apache-2.0
// ProfilesData as OTLP/JSON: names in lowerCamelCase, 64-bit numbers as strings, ids in hexadecimal, other bytes in base64.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "format/otlp/message.h"

namespace atys::format::otlp {

// One message, or, as the Collector writes files, one a line.
Result<std::vector<message::ProfilesData>> decode_json(std::string_view text);

std::string encode_json(const message::ProfilesData& data);

// A label of the type Json holds a value in this form. Equal values give equal text.
std::string encode_json(const AnyValue& value);
std::optional<AnyValue> decode_json_value(std::string_view text);

}  // namespace atys::format::otlp
