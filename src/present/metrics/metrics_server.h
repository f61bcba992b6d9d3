// SPDX-License-Identifier: Apache-2.0
// Answers GET /metrics and GET /healthz, nothing else, in a thread of its own.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/result.h"

namespace atys::present::metrics {

class MetricsServer {
 public:
  // Port 0: any that is free.
  static Result<std::unique_ptr<MetricsServer>> start(const std::string& address, int port,
                                                      std::function<std::string()> render);
  virtual ~MetricsServer() = default;
  virtual int port() const = 0;
};

}  // namespace atys::present::metrics
