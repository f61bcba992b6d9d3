// SPDX-License-Identifier: Apache-2.0
#include "present/metrics/metrics_server.h"

#include <fmt/format.h>
#include <httplib.h>

#include <thread>

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
    // Without the library's SO_REUSEPORT: two agents are not to share a port.
    server_.set_socket_options([](socket_t socket) {
      const int yes = 1;
      ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    });
    server_.Get("/metrics", [this](const httplib::Request&, httplib::Response& response) {
      response.set_content(render_(), std::string(kMetricMediaType));
    });
    server_.Get("/healthz",
                [](const httplib::Request&, httplib::Response& response) { response.set_content("ok\n", "text/plain"); });
  }

  Result<> listen(const std::string& address, int port) {
    port_ = port == 0 ? server_.bind_to_any_port(address) : server_.bind_to_port(address, port) ? port : -1;
    if (port_ < 0)
      return fail(ErrorCode::Unavailable, fmt::format("cannot listen on {}:{}", address, port),
                  "take another port, or end what is there");
    thread_ = std::thread([this] { server_.listen_after_bind(); });
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
