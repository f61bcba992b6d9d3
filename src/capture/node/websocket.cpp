// SPDX-License-Identifier: Apache-2.0
#include "capture/node/websocket.h"

#include <fmt/format.h>
#include <openssl/evp.h>
#include <openssl/sha.h>

#include "capture/node/http_head.h"

namespace atys::capture::node {

namespace {

constexpr size_t kLongestControl = 125;
constexpr std::string_view kAcceptSuffix = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";  // RFC 6455, 1.3

bool is_control(Opcode opcode) { return static_cast<uint8_t>(opcode) >= 8; }

std::string base64(std::string_view bytes) {
  std::string text(4 * ((bytes.size() + 2) / 3) + 1, '\0');
  const int length = EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()),
                                     reinterpret_cast<const unsigned char*>(bytes.data()), static_cast<int>(bytes.size()));
  text.resize(static_cast<size_t>(length));
  return text;
}

void append_big_endian(std::string& to, uint64_t number, int bytes) {
  for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8) to.push_back(static_cast<char>(number >> shift & 0xff));
}

uint64_t big_endian(std::string_view bytes) {
  uint64_t number = 0;
  for (const char byte : bytes) number = number << 8 | static_cast<uint8_t>(byte);
  return number;
}

}  // namespace

std::string encode_frame(Opcode opcode, std::string_view payload, MaskingKey mask) {
  constexpr int kMasked = 0x80;
  std::string frame;
  frame.reserve(payload.size() + 14);
  frame.push_back(static_cast<char>(0x80 | static_cast<uint8_t>(opcode)));
  if (payload.size() <= kLongestControl) {
    frame.push_back(static_cast<char>(kMasked | static_cast<int>(payload.size())));
  } else if (payload.size() <= UINT16_MAX) {
    frame.push_back(static_cast<char>(kMasked | 126));
    append_big_endian(frame, payload.size(), 2);
  } else {
    frame.push_back(static_cast<char>(kMasked | 127));
    append_big_endian(frame, payload.size(), 8);
  }
  for (const uint8_t byte : mask) frame.push_back(static_cast<char>(byte));
  for (size_t i = 0; i < payload.size(); ++i)
    frame.push_back(static_cast<char>(static_cast<uint8_t>(payload[i]) ^ mask[i % mask.size()]));
  return frame;
}

Result<std::optional<WebSocketReader::Head>> WebSocketReader::parse_head(std::string_view bytes) const {
  std::optional<Head> none;
  if (bytes.size() < 2) return none;
  const auto first = static_cast<uint8_t>(bytes[0]);
  const auto second = static_cast<uint8_t>(bytes[1]);
  if ((first & 0x70) != 0) return fail(ErrorCode::InvalidInput, "a WebSocket frame has reserved bits set");
  if ((second & 0x80) != 0) return fail(ErrorCode::InvalidInput, "a WebSocket server masks its frames");
  const int code = first & 0x0f;
  if ((code > 2 && code < 8) || code > 10)
    return fail(ErrorCode::InvalidInput, fmt::format("a WebSocket frame has the unknown opcode {}", code));
  const uint8_t length = second & 0x7f;
  const size_t more = length == 126 ? 2 : length == 127 ? 8 : 0;
  if (bytes.size() < 2 + more) return none;
  Head head{.is_final = (first & 0x80) != 0, .opcode = static_cast<Opcode>(code), .head_bytes = 2 + more};
  head.payload_bytes = more == 0 ? length : big_endian(bytes.substr(2, more));
  const Result<> good = check_head(head);
  if (!good.ok()) return good.error();
  return std::optional<Head>(head);
}

Result<> WebSocketReader::check_head(const Head& head) const {
  if (is_control(head.opcode)) {
    if (!head.is_final || head.payload_bytes > kLongestControl)
      return fail(ErrorCode::InvalidInput, "a WebSocket control frame is in fragments or too long");
    return {};
  }
  if ((head.opcode == Opcode::Continuation) != partial_.has_value())
    return fail(ErrorCode::InvalidInput, "a fragment of a WebSocket message is out of order");
  const size_t so_far = partial_ ? partial_->payload.size() : 0;
  if (head.payload_bytes > most_bytes_ - so_far)
    return fail(ErrorCode::ResourceExhausted, fmt::format("a WebSocket message has more than {} bytes", most_bytes_));
  return {};
}

void WebSocketReader::add_frame(const Head& head, std::string_view payload) {
  if (is_control(head.opcode)) {
    messages_.push_back({head.opcode, std::string(payload)});
    return;
  }
  if (!partial_) partial_ = WebSocketMessage{.opcode = head.opcode, .payload = {}};
  partial_->payload.append(payload);
  if (!head.is_final) return;
  messages_.push_back(std::move(*partial_));
  partial_.reset();
}

Result<> WebSocketReader::feed(std::string_view bytes) {
  constexpr size_t kMostMessages = 10'000;
  pending_.append(bytes);
  std::string_view rest = pending_;
  while (true) {
    const auto head = TRY(parse_head(rest));
    if (!head || rest.size() - head->head_bytes < head->payload_bytes) break;
    if (messages_.size() >= kMostMessages)
      return fail(ErrorCode::ResourceExhausted, "a WebSocket server sends more messages than anybody asked for");
    add_frame(*head, rest.substr(head->head_bytes, head->payload_bytes));
    rest.remove_prefix(head->head_bytes + head->payload_bytes);
  }
  pending_.erase(0, pending_.size() - rest.size());
  return {};
}

std::optional<WebSocketMessage> WebSocketReader::next() {
  if (messages_.empty()) return {};
  WebSocketMessage message = std::move(messages_.front());
  messages_.pop_front();
  return message;
}

std::string upgrade_request(std::string_view host, std::string_view path, std::string_view key) {
  return fmt::format(
      "GET {} HTTP/1.1\r\nHost: {}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: {}\r\n"
      "Sec-WebSocket-Version: 13\r\n\r\n",
      path, host, base64(key));
}

Result<> check_upgrade(std::string_view head, std::string_view key) {
  const HttpHead answer = TRY(parse_http_head(head));
  if (answer.status != 101)
    return fail(ErrorCode::Unavailable, fmt::format("the inspector refuses a session: HTTP status {}", answer.status));
  const std::string text = base64(key) + std::string(kAcceptSuffix);
  std::array<unsigned char, SHA_DIGEST_LENGTH> digest{};
  SHA1(reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest.data());
  if (answer.value_of("sec-websocket-accept") != base64({reinterpret_cast<const char*>(digest.data()), digest.size()}))
    return fail(ErrorCode::InvalidInput, "the inspector's answer is not to our WebSocket handshake");
  return {};
}

}  // namespace atys::capture::node
