// SPDX-License-Identifier: Apache-2.0
#include "fleet/wire/grpc_message.h"

#include <fmt/format.h>

#include <charconv>

#include "base/byte_source.h"
#include "base/gzip.h"

namespace atys::fleet {

namespace {

constexpr const char* kType = "application/grpc";
// Keeps a message within what headers of HTTP/2 may hold.
constexpr size_t kLongestMessage = 1000;
constexpr size_t kLongestTimeout = 8;  // digits
constexpr int kOk = 0, kInvalidArgument = 3, kNotFound = 5, kResourceExhausted = 8, kUnimplemented = 12, kInternal = 13,
              kUnavailable = 14, kUnauthenticated = 16;

int status_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::InvalidInput: return kInvalidArgument;
    case ErrorCode::NotFound: return kNotFound;
    case ErrorCode::PermissionDenied: return kUnauthenticated;
    case ErrorCode::Unsupported: return kUnimplemented;
    case ErrorCode::Unavailable: return kUnavailable;
    case ErrorCode::ResourceExhausted:
    case ErrorCode::BudgetSpent: return kResourceExhausted;
    case ErrorCode::Internal: break;
  }
  return kInternal;
}

// As the protocol wants it: all but printable ASCII, and the sign itself, as %XX.
std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text.substr(0, kLongestMessage)) {
    if (c >= ' ' && c <= '~' && c != '%')
      result += c;
    else
      result += fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return result;
}

uint32_t length_of(const std::string& body) {
  uint32_t length = 0;
  for (size_t i = 1; i < kGrpcPrefixBytes; ++i) length = length << 8 | static_cast<uint8_t>(body[i]);
  return length;
}

}  // namespace

Result<std::string> message_of(const std::string& body, const std::string& packing, size_t most_bytes) {
  if (body.size() < kGrpcPrefixBytes) return fail(ErrorCode::InvalidInput, "the call has no message");
  if (length_of(body) != body.size() - kGrpcPrefixBytes)
    return fail(ErrorCode::InvalidInput, "the call has more than one message, or one that is cut off");
  if (body[0] == 0) return body.substr(kGrpcPrefixBytes);
  if (body[0] != 1) return fail(ErrorCode::InvalidInput, "the call has a message of no known form");
  if (packing != "gzip") return fail(ErrorCode::Unsupported, "messages are understood as they are, and with gzip");
  return std::string(as_text(TRY(gunzip(as_byte_span(body).subspan(kGrpcPrefixBytes), most_bytes))));
}

net::Response grpc_answer(const std::string& message) {
  const size_t size = message.size();
  std::string body{'\0', static_cast<char>(size >> 24), static_cast<char>(size >> 16), static_cast<char>(size >> 8),
                   static_cast<char>(size)};
  return {.type = kType, .body = body + message, .trailers = {{"grpc-status", std::to_string(kOk)}}};
}

net::Response grpc_refusal(int status, const std::string& why) {
  return {.type = kType,
          .headers = {{"grpc-status", std::to_string(status)},
                      {"grpc-message", escaped(why)},
                      {"grpc-accept-encoding", "identity,gzip"}}};
}

net::Response grpc_refusal(const Error& error) {
  return grpc_refusal(status_of(error.code), error.hint.empty() ? error.message : error.message + "; " + error.hint);
}

std::optional<uint64_t> grpc_timeout_ns(const std::string& text) {
  if (text.size() < 2 || text.size() > kLongestTimeout + 1) return std::nullopt;
  uint64_t count = 0;
  const char* last = text.data() + text.size() - 1;
  const auto [end, error] = std::from_chars(text.data(), last, count);
  if (error != std::errc{} || end != last) return std::nullopt;
  switch (*last) {
    case 'H': return count * 3'600'000'000'000;
    case 'M': return count * 60'000'000'000;
    case 'S': return count * 1'000'000'000;
    case 'm': return count * 1'000'000;
    case 'u': return count * 1'000;
    case 'n': return count;
    default: return std::nullopt;
  }
}

}  // namespace atys::fleet
