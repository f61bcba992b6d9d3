// SPDX-License-Identifier: Apache-2.0
// Prompts: what a person picks from a client's menu to have a model work with the tools.
#pragma once

#include "base/json.h"

namespace atys::present::mcp {

Json all_prompts();
// {"result": …} or {"error": …} of prompts/get.
Json get_prompt(const Json& params);

}  // namespace atys::present::mcp
