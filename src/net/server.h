// SPDX-License-Identifier: Apache-2.0
// The one door of this program: every port that it listens on is one of these. One thread waits for all connections and
// reads what they bring; whole requests of callers that were let in are worked on by a few others. What anybody can make it
// hold is bounded: see limits.h, and docs/decisions/0026-one-door.md.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>

#include "base/result.h"
#include "net/limits.h"
#include "net/message.h"
#include "net/tls.h"

namespace atys::net {

struct ServerOptions {
  std::string address = "127.0.0.1";
  int port = 0;  // 0: any that is free
  bool is_http2 = false;
  bool keeps_connections = true;  // HTTP/1: more than one request on each
  TlsTexts tls = {};
  Limits limits = {};
  // What is said when too much is waiting.
  std::function<Response()> busy = [] {
    return Response{.status = 503,
                    .type = "text/plain",
                    .body = "too much is waiting here already\n",
                    .headers = {{"Retry-After", "5"}}};
  };
};

class Server {
 public:
  virtual ~Server() = default;  // ends what is under way
  static Result<std::unique_ptr<Server>> start(ServerOptions options, Decide decide);
  virtual int port() const = 0;
  // How many connections there are now.
  virtual size_t connections() const = 0;
};

}  // namespace atys::net
