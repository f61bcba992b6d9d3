// SPDX-License-Identifier: Apache-2.0
// Whether the arguments of a call fit the tool's input schema: the part of JSON Schema that our tools use, with messages
// that tell a client what to write instead.
#pragma once

#include "base/json.h"
#include "base/result.h"

namespace atys::present::mcp {

// Knows type, enum, minimum, maximum, minLength, maxLength, minItems, maxItems, items, properties, required and
// additionalProperties: false.
Result<> check_arguments(const Json& schema, const Json& arguments);

}  // namespace atys::present::mcp
