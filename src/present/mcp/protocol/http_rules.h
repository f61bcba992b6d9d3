// SPDX-License-Identifier: Apache-2.0
// What a request of the modern era has to say about itself: in its _meta always, and over HTTP in its headers again, so that
// gateways need not read bodies. Both have to agree.
#pragma once

#include <optional>

#include "present/mcp/protocol/server.h"

namespace atys::present::mcp {

// Whether the request is of the modern era, well-formed or not.
bool speaks_modern(const Message& message, const Channel& channel);

// What is wrong with a request of the modern era; nothing: it may be answered.
std::optional<RpcError> check_modern(const Message& message, const Channel& channel);

// "=?base64?…?=" holds what a header cannot; anything else is itself. Nothing: the wrapper holds no Base64.
std::optional<std::string> decode_header_value(const std::string& value);

}  // namespace atys::present::mcp
