// SPDX-License-Identifier: Apache-2.0
// What a person may want to type next in a client's menu: ids and forms of profiles for the templates of resources, and for
// prompts the commands that were captured before.
#pragma once

#include "base/json.h"

namespace atys::present::mcp {

// {"result": …} or {"error": …} of completion/complete.
Json complete(const Json& params);

}  // namespace atys::present::mcp
