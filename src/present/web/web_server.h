// SPDX-License-Identifier: Apache-2.0
// A controller over HTTP: the API, what Prometheus wants, OTLP, and a plain page. docs/guide/fleet.md lists the addresses.
#pragma once

#include <memory>
#include <string>

#include "present/http_guard.h"
#include "verbs/controller.h"

namespace atys::present::web {

struct WebOptions {
  std::string address = "127.0.0.1";
  int port = 0;  // 0: any that is free
  HttpGuard guard;
  verbs::TlsFiles tls = {};  // with an authority: who may connect, by certificate
};

class WebServer {
 public:
  virtual ~WebServer() = default;  // ends what is under way
  // `controller` outlives it.
  static Result<std::unique_ptr<WebServer>> start(verbs::RunningController& controller, const WebOptions& options);
  virtual int port() const = 0;
};

}  // namespace atys::present::web
