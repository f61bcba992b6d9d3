// SPDX-License-Identifier: Apache-2.0
// The protocol over HTTP: POST /mcp, answered with one JSON object or, for calls of tools, with a stream of events that ends
// with the answer.
#pragma once

#include <functional>
#include <string>

#include "present/http_guard.h"
#include "present/mcp/protocol/server.h"

namespace atys::present::mcp {

struct HttpOptions {
  std::string address = "127.0.0.1";
  int port = 0;  // 0: any that is free
  HttpGuard guard;
  std::function<void(int port)> on_listening = [](int) {};
};

// Until the process is told to end.
Result<> serve_http(const Server& server, Performer& performer, const HttpOptions& options);

}  // namespace atys::present::mcp
