// SPDX-License-Identifier: Apache-2.0
// Answers GET /metrics and GET /healthz, nothing else, in threads of its own. Who may ask is told as a controller tells it.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/result.h"
#include "present/http_guard.h"

namespace atys::present::metrics {

struct MetricsOptions {
  std::string address = "127.0.0.1";
  int port = 0;  // 0: any that is free
  HttpGuard guard = {};
};

class MetricsServer {
 public:
  static Result<std::unique_ptr<MetricsServer>> start(const MetricsOptions& options, std::function<std::string()> render);
  virtual ~MetricsServer() = default;
  virtual int port() const = 0;
};

}  // namespace atys::present::metrics
