// SPDX-License-Identifier: Apache-2.0
// One JSON-RPC message of the Model Context Protocol. The bytes come from a client that we do not trust: size, nesting and
// form are checked here, so that nothing behind has to.
#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "base/json.h"

namespace atys::present::mcp {

inline constexpr size_t kMostMessageBytes = size_t{1} << 20;
inline constexpr size_t kMostMessageDepth = 32;

// Codes of JSON-RPC and of the protocol.
enum RpcCode : int {
  kParseError = -32700,
  kInvalidRequest = -32600,
  kMethodNotFound = -32601,
  kInvalidParams = -32602,
  kInternalError = -32603,
  kHeaderMismatch = -32020,
  kMissingCapability = -32021,
  kUnsupportedVersion = -32022,
};

struct RpcError {
  int code = kInternalError;
  std::string message;
  Json data;  // null: none
};

struct Message {
  enum class Kind { Request, Notification, Response };
  Kind kind = Kind::Request;
  Json id;  // text or whole number; null for notifications
  std::string method;
  Json params = Json::object();
};

// What is wrong with a message, and its id where it could be made out (else null).
struct BadMessage {
  Json id;
  RpcError error;
};

std::variant<Message, BadMessage> parse_message(std::string_view text);

Json make_result(const Json& id, Json result);
Json make_error(const Json& id, const RpcError& error);
Json make_notification(std::string_view method, Json params);

// One line, whatever the texts in it hold: what is not UTF-8 is replaced.
std::string to_line(const Json& message);

}  // namespace atys::present::mcp
