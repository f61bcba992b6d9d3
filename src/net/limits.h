// SPDX-License-Identifier: Apache-2.0
// What a server grants, to strangers above all: whoever has not shown a token yet. docs/decisions/0026-one-door.md says why
// each number is what it is.
#pragma once

#include <cstddef>
#include <cstdint>

namespace atys::net {

inline constexpr uint64_t kSecondNs = 1'000'000'000;

struct Limits {
  // Of one request.
  size_t most_line_bytes = 8 << 10;   // method and address
  size_t most_head_bytes = 16 << 10;  // with all headers
  size_t most_headers = 64;
  uint64_t head_ns = 10 * kSecondNs;     // from the first byte (or the connection) to the end of the head
  uint64_t body_ns = 60 * kSecondNs;     // from there to the end of the body
  uint64_t silence_ns = 30 * kSecondNs;  // while we write, and nobody reads

  // Of connections. A stranger that is too many takes the place of the one that came first.
  size_t most_connections = 256;
  size_t most_strangers = 128;
  size_t most_strangers_per_address = 64;
  uint64_t stranger_ns = 60 * kSecondNs;  // HTTP/2: how long somebody may stay one
  uint64_t idle_ns = 30 * kSecondNs;      // between two requests

  // Of work.
  size_t threads = 4;
  size_t most_waiting = 64;  // whole requests of callers that are let in
  size_t most_streams = 8;   // HTTP/2: requests at a time on one connection
};

}  // namespace atys::net
