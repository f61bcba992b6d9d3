// SPDX-License-Identifier: Apache-2.0
// What a protocol sees of its connection, and a connection of its protocol. Everything here happens in the server's own
// thread, but what is said otherwise.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "net/limits.h"
#include "net/message.h"

namespace atys::net {

class Protocol {
 public:
  virtual ~Protocol() = default;
  virtual void on_bytes(std::string_view bytes) = 0;
  virtual void on_drained() = 0;  // what was sent is with the kernel
  virtual void on_peer_end() {}   // it will send no more; where we read we learn it from that
  virtual bool wants_bytes() const = 0;
  virtual uint64_t deadline_ns() const = 0;  // by the monotonic clock; then on_deadline is called, about a second late
  virtual void on_deadline(uint64_t now_ns) = 0;
};

class Channel {
 public:
  virtual ~Channel() = default;
  virtual const Limits& limits() const = 0;
  virtual const Peer& peer() const = 0;
  virtual uint64_t now_ns() const = 0;
  virtual Decision decide(const RequestHead& head) = 0;
  virtual Response busy() = 0;

  virtual void send(std::string bytes) = 0;
  virtual void send_fixed(std::string_view bytes) = 0;  // that live as long as the program
  virtual size_t unsent_bytes() const = 0;
  virtual void end_soon() = 0;  // after what was sent; what still comes is read and forgotten for a moment
  virtual void end_now() = 0;
  virtual void let_in() = 0;  // no stranger any more

  // In a thread of the pool. False: too much is waiting.
  virtual bool work(std::function<void()> job) = 0;
  // Brings something back into the server's thread, from any other; it is forgotten if the connection is gone by then.
  using Post = std::function<void(std::function<void(Protocol&)>)>;
  virtual Post post() = 0;
};

}  // namespace atys::net
