// SPDX-License-Identifier: Apache-2.0
#include "present/mcp/protocol/message.h"

namespace atys::present::mcp {

namespace {

BadMessage bad(const Json& id, int code, std::string why) { return {id, {code, std::move(why), {}}}; }

// Whole numbers beyond 64 bits become fractions when they are read, and a fraction is no id.
bool is_id(const Json& value) { return value.is_string() || value.is_number_integer(); }

}  // namespace

std::variant<Message, BadMessage> parse_message(std::string_view text) {
  if (text.size() > kMostMessageBytes)
    return bad({}, kInvalidRequest, "a message is at most " + std::to_string(kMostMessageBytes) + " bytes");
  auto parsed = parse_json(text, kMostMessageDepth);
  if (!parsed.ok()) return bad({}, kParseError, parsed.error().message);
  const Json& json = *parsed;
  if (json.is_array()) return bad({}, kInvalidRequest, "batches are not supported: send one message at a time");
  if (!json.is_object()) return bad({}, kInvalidRequest, "a message is an object");
  const Json id = json.value("id", Json());
  const bool has_id = json.contains("id");
  if (has_id && !is_id(id)) return bad({}, kInvalidRequest, "an id is text or a whole number");
  if (json.value("jsonrpc", Json()) != "2.0") return bad(id, kInvalidRequest, "jsonrpc must be \"2.0\"");

  Message message;
  message.id = id;
  if (!json.contains("method")) {
    if (!has_id || json.contains("result") == json.contains("error"))
      return bad(id, kInvalidRequest, "neither a request, a notification nor a response");
    message.kind = Message::Kind::Response;
    return message;
  }
  if (!json["method"].is_string()) return bad(id, kInvalidRequest, "a method is text");
  message.kind = has_id ? Message::Kind::Request : Message::Kind::Notification;
  message.method = json["method"].get<std::string>();
  if (json.contains("params")) message.params = json["params"];
  if (!message.params.is_object()) return bad(id, kInvalidParams, "params must be an object");
  if (!message.params.value("_meta", Json::object()).is_object()) return bad(id, kInvalidParams, "_meta must be an object");
  return message;
}

Json make_result(const Json& id, Json result) { return {{"jsonrpc", "2.0"}, {"id", id}, {"result", std::move(result)}}; }

Json make_error(const Json& id, const RpcError& error) {
  Json body = {{"code", error.code}, {"message", error.message}};
  if (!error.data.is_null()) body["data"] = error.data;
  Json message = {{"jsonrpc", "2.0"}, {"error", std::move(body)}};
  // A message that could not be read has no id to answer to.
  message["id"] = id;
  return message;
}

Json make_notification(std::string_view method, Json params) {
  return {{"jsonrpc", "2.0"}, {"method", method}, {"params", std::move(params)}};
}

std::string to_line(const Json& message) { return message.dump(-1, ' ', false, Json::error_handler_t::replace); }

}  // namespace atys::present::mcp
