// SPDX-License-Identifier: Apache-2.0
// The client's side of WebSocket (RFC 6455), bytes in and bytes out: no extensions, no I/O. The server is not trusted: sizes
// are bounded, and whatever the standard forbids ends the connection.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace atys::capture::node {

enum class Opcode : uint8_t { Continuation = 0, Text = 1, Binary = 2, Close = 8, Ping = 9, Pong = 10 };

struct WebSocketMessage {
  Opcode opcode = Opcode::Text;  // never Continuation: fragments come joined
  std::string payload;
};

using MaskingKey = std::array<uint8_t, 4>;

// One whole frame, masked as a client has to.
std::string encode_frame(Opcode opcode, std::string_view payload, MaskingKey mask);

// What a server sends, cut into messages. After an error it is of no more use.
class WebSocketReader {
 public:
  static constexpr size_t kMostBytes = size_t{64} << 20;

  explicit WebSocketReader(size_t most_bytes = kMostBytes) : most_bytes_(most_bytes) {}

  Result<> feed(std::string_view bytes);
  // The oldest message that is whole.
  std::optional<WebSocketMessage> next();

 private:
  struct Head {
    bool is_final = false;
    Opcode opcode = Opcode::Text;
    uint64_t payload_bytes = 0;
    size_t head_bytes = 0;
  };
  Result<std::optional<Head>> parse_head(std::string_view bytes) const;
  Result<> check_head(const Head& head) const;
  void add_frame(const Head& head, std::string_view payload);

  size_t most_bytes_;
  std::string pending_;                      // the begin of a frame
  std::optional<WebSocketMessage> partial_;  // a message whose last fragment is still to come
  std::deque<WebSocketMessage> messages_;
};

// What asks a server to speak WebSocket. `key` is 16 random bytes; `host` is an address, with a port.
std::string upgrade_request(std::string_view host, std::string_view path, std::string_view key);
// Whether the head of its answer agrees, to this very key.
Result<> check_upgrade(std::string_view head, std::string_view key);

}  // namespace atys::capture::node
