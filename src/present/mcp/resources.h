// SPDX-License-Identifier: Apache-2.0
// Resources that clients may read: profiles of the library, as text, and how to work with the tools.
#pragma once

#include "base/json.h"
#include "present/mcp/tool.h"

namespace atys::present::mcp {

Json resource_templates();

// {"result": …} or {"error": …} of resources/list and resources/read.
Json list_resources(const Json& params);
Json read_resource(const Json& params, const ToolContext& context);

// For clients that show it to their model when they connect.
std::string instructions();

}  // namespace atys::present::mcp
