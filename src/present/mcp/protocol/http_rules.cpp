// SPDX-License-Identifier: Apache-2.0
#include "present/mcp/protocol/http_rules.h"

#include <array>

#include "present/mcp/protocol/era.h"

namespace atys::present::mcp {

namespace {

constexpr std::string_view kOpen = "=?base64?";
constexpr std::string_view kClose = "?=";
constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

std::optional<std::string> decode_base64(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  std::string bytes;
  uint32_t bits = 0;
  size_t padding = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const size_t digit = kAlphabet.find(text[i]);
    const bool is_padding = text[i] == '=' && i + 2 >= text.size();
    if (is_padding) ++padding;
    if (!is_padding && (digit == std::string_view::npos || padding > 0)) return std::nullopt;
    bits = bits << 6 | (is_padding ? 0 : static_cast<uint32_t>(digit));
    if (i % 4 != 3) continue;
    for (const int shift : {16, 8, 0}) bytes.push_back(static_cast<char>(bits >> shift & 0xff));
    bits = 0;
  }
  bytes.resize(bytes.size() - padding);
  return bytes;
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

// Which of a request's parameters Mcp-Name repeats; empty: none.
std::string name_parameter(const std::string& method) {
  if (method == "tools/call" || method == "prompts/get") return "name";
  return method == "resources/read" ? "uri" : "";
}

std::optional<RpcError> mismatch(const std::string& header, const std::optional<std::string>& said, const Json& meant) {
  if (!said) return RpcError{kHeaderMismatch, "the header " + header + " is missing", {}};
  const auto value = decode_header_value(std::string(trimmed(*said)));
  if (value && meant.is_string() && meant == *value) return std::nullopt;
  return RpcError{kHeaderMismatch, "the header " + header + " does not say what the body says", {}};
}

std::optional<RpcError> check_headers(const Message& message, const HttpHeaders& headers) {
  if (auto error = mismatch("Mcp-Method", headers.method, message.method)) return error;
  const std::string name = name_parameter(message.method);
  if (name.empty() || !message.params.contains(name)) return std::nullopt;
  return mismatch("Mcp-Name", headers.name, message.params[name]);
}

}  // namespace

std::optional<std::string> decode_header_value(const std::string& value) {
  if (!value.starts_with(kOpen) || !value.ends_with(kClose) || value.size() < kOpen.size() + kClose.size()) return value;
  return decode_base64(std::string_view(value).substr(kOpen.size(), value.size() - kOpen.size() - kClose.size()));
}

bool speaks_modern(const Message& message, const Channel& channel) {
  if (message.method == "server/discover") return true;
  if (message.params.contains("_meta") && message.params["_meta"].contains(kMetaVersion)) return true;
  return channel.http && channel.http->version && is_modern(trimmed(*channel.http->version));
}

std::optional<RpcError> check_modern(const Message& message, const Channel& channel) {
  const Json meta = message.params.value("_meta", Json::object());
  const Json version = meta.value(kMetaVersion, Json());
  if (!version.is_string())
    return RpcError{kInvalidParams, std::string("params._meta must have \"") + kMetaVersion + "\", text", {}};
  if (channel.http)
    if (auto error = mismatch("MCP-Protocol-Version", channel.http->version, version)) return error;
  if (!is_modern(version.get<std::string>()))
    return RpcError{
        kUnsupportedVersion, "unsupported protocol version", {{"supported", modern_versions()}, {"requested", version}}};
  if (!meta.value(kMetaCapabilities, Json()).is_object())
    return RpcError{kInvalidParams, std::string("params._meta must have \"") + kMetaCapabilities + "\", an object", {}};
  if (channel.http) return check_headers(message, *channel.http);
  return std::nullopt;
}

}  // namespace atys::present::mcp
