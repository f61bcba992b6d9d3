// SPDX-License-Identifier: Apache-2.0
#include "present/metrics/metrics_server.h"

#include <httplib.h>

#include <thread>

#include "present/http_listen.h"
#include "present/metrics/metric_text.h"

namespace atys::present::metrics {

namespace {

constexpr size_t kThreads = 2;
constexpr size_t kLargestRequest = 1 << 16;

class Server final : public MetricsServer {
 public:
  explicit Server(std::function<std::string()> render) : render_(std::move(render)) {
    server_.new_task_queue = [] { return new httplib::ThreadPool(kThreads); };
    server_.set_payload_max_length(kLargestRequest);
    server_.Get("/metrics", [this](const httplib::Request&, httplib::Response& response) {
      response.set_content(render_(), std::string(kMetricMediaType));
    });
    server_.Get("/healthz",
                [](const httplib::Request&, httplib::Response& response) { response.set_content("ok\n", "text/plain"); });
  }

  Result<> listen(const std::string& address, int port) {
    port_ = TRY(bind_alone(server_, address, port));
    thread_ = serve(server_);
    return {};
  }

  ~Server() override {
    server_.stop();
    if (thread_.joinable()) thread_.join();
  }
  int port() const override { return port_; }

 private:
  std::function<std::string()> render_;
  httplib::Server server_;
  int port_ = -1;
  std::thread thread_;
};

}  // namespace

Result<std::unique_ptr<MetricsServer>> MetricsServer::start(const std::string& address, int port,
                                                            std::function<std::string()> render) {
  auto server = std::make_unique<Server>(std::move(render));
  TRY(server->listen(address, port));
  return std::unique_ptr<MetricsServer>(std::move(server));
}

}  // namespace atys::present::metrics
