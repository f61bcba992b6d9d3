// SPDX-License-Identifier: Apache-2.0
#include "present/metrics/metrics_server.h"

#include "net/server.h"
#include "present/metrics/metric_text.h"

namespace atys::present::metrics {

namespace {

// An agent has little memory, and one or two that ask.
constexpr net::Limits kLimits{
    .most_connections = 64, .most_strangers = 48, .most_strangers_per_address = 24, .threads = 1, .most_waiting = 8};

net::Response text_response(int status, std::string text) {
  return {.status = status, .type = "text/plain; charset=utf-8", .body = std::move(text)};
}

class Server final : public MetricsServer {
 public:
  Server(const MetricsOptions& options, std::function<std::string()> render)
      : guard_(options.guard), render_(std::move(render)) {}

  Result<> listen(const MetricsOptions& options) {
    server_ = TRY(net::Server::start({.address = options.address, .port = options.port, .limits = kLimits},
                                     [this](const net::RequestHead& head) { return decide(head); }));
    return {};
  }
  int port() const override { return server_->port(); }

 private:
  net::Decision decide(const net::RequestHead& head) const {
    if (head.path != "/metrics" && head.path != "/healthz")
      return net::Decision::refuse(text_response(404, "there is /metrics, and nothing else\n"));
    if (head.method != "GET") return net::Decision::refuse(text_response(405, "only GET is answered\n"));
    if (head.path == "/healthz") return net::Decision::refuse(text_response(200, "ok\n"));
    const auto refusal = guard_.check(head.value("host"), head.find("origin"), head.find("authorization"), Role::Read);
    if (refusal) {
      net::Response response = text_response(refusal->status, refusal->why + "\n");
      if (refusal->status == 401) response.headers.emplace_back("WWW-Authenticate", "Bearer realm=\"atys\"");
      return net::Decision::refuse(std::move(response));
    }
    // Where there is no token everybody is as much a stranger after this as before.
    return {.is_known = guard_.access.asks_for_token(), .work = [this](net::Request&) {
              return net::Response{.type = std::string(kMetricMediaType), .body = render_()};
            }};
  }

  const HttpGuard guard_;
  const std::function<std::string()> render_;
  std::unique_ptr<net::Server> server_;  // ends before what its threads use
};

}  // namespace

Result<std::unique_ptr<MetricsServer>> MetricsServer::start(const MetricsOptions& options,
                                                            std::function<std::string()> render) {
  auto server = std::make_unique<Server>(options, std::move(render));
  TRY(server->listen(options));
  return std::unique_ptr<MetricsServer>(std::move(server));
}

}  // namespace atys::present::metrics
