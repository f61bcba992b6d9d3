// SPDX-License-Identifier: Apache-2.0
#include "present/web/web_server.h"

#include "net/packing.h"
#include "net/server.h"
#include "present/web/api.h"
#include "present/web/gate.h"
#include "present/web/json_response.h"
#include "present/web/otlp_door.h"
#include "present/web/page.h"

namespace atys::present::web {

namespace {

constexpr size_t kMostTaskBytes = size_t{128} << 10;
constexpr net::Limits kLimits{
    .most_connections = 4096, .most_strangers = 512, .most_strangers_per_address = 128, .threads = 16, .most_waiting = 256};

using net::Decision;
using net::Request;
using net::RequestHead;
using net::Response;

// A page may do nothing but show what it has from us.
void set_page(Response& response) {
  response.headers.emplace_back(
      "Content-Security-Policy",
      "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; connect-src 'self'; "
      "frame-src blob:; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'");
  response.headers.emplace_back("X-Content-Type-Options", "nosniff");
  response.headers.emplace_back("Referrer-Policy", "no-referrer");
  response.type = "text/html; charset=utf-8";
  response.fixed_body = page();
}

Response error_response(const Error& error) {
  Response response;
  set_error(response, error);
  return response;
}

// What of a body we take whose route knows no other limit.
std::optional<Response> refuse_large(size_t bytes) {
  if (bytes <= kMostTaskBytes) return std::nullopt;
  return error_response(fail(ErrorCode::ResourceExhausted, "a task of more than 64 KiB"));
}

class Server final : public WebServer {
 public:
  Server(verbs::RunningController& controller, const WebOptions& options)
      : options_(options), gate_(controller, options.guard), api_(controller, gate_), otlp_(controller, gate_) {}

  Result<> listen();
  int port() const override { return server_->port(); }

 private:
  Decision decide(const RequestHead& head);
  Decision decide_on_page(const RequestHead& head) const;
  Decision decide_on_api(const RequestHead& head, const Api::Found& found);

  const WebOptions options_;
  Gate gate_;
  const Api api_;
  OtlpDoor otlp_;
  std::unique_ptr<net::Server> server_;  // ends before what its threads use
};

Decision Server::decide(const RequestHead& head) {
  if (head.method == "GET" && head.path == "/healthz") return Decision::refuse({.type = "text/plain", .body = "ok\n"});
  if (head.method == "GET" && head.path == "/") return decide_on_page(head);
  if (head.method == "POST" && head.path == OtlpDoor::kPath) return otlp_.decide(head);
  if (const auto found = Api::find(head)) return decide_on_api(head, *found);
  return Decision::refuse(error_response(fail(ErrorCode::NotFound, "there is nothing at this address")));
}

Decision Server::decide_on_page(const RequestHead& head) const {
  if (auto no = gate_.refusal_of_place(head)) return Decision::refuse(std::move(*no));
  Response response;
  set_page(response);
  return Decision::refuse(std::move(response));
}

Decision Server::decide_on_api(const RequestHead& head, const Api::Found& found) {
  if (auto no = gate_.refusal(head, found.route.needs)) return Decision::refuse(std::move(*no));
  Decision decision{.is_known = gate_.access().asks_for_token()};
  if (head.method == "PUT") decision.grow = refuse_large;
  decision.work = [this, handler = found.route.handler, name = found.name](Request& request) {
    if (const auto whole = net::unpack(request, kMostTaskBytes); !whole.ok()) return error_response(whole.error());
    Response response;
    (api_.*handler)(request, name, response);
    return response;
  };
  return decision;
}

Result<> Server::listen() {
  const auto busy = [] {
    return error_response(fail(ErrorCode::Unavailable, "too much is waiting here already", "ask again later"));
  };
  server_ = TRY(net::Server::start({.address = options_.address,
                                    .port = options_.port,
                                    .tls = TRY(verbs::read_tls(options_.tls)),
                                    .limits = kLimits,
                                    .busy = busy},
                                   [this](const RequestHead& head) { return decide(head); }));
  return {};
}

}  // namespace

Result<std::unique_ptr<WebServer>> WebServer::start(verbs::RunningController& controller, const WebOptions& options) {
  auto server = std::make_unique<Server>(controller, options);
  TRY(server->listen());
  return std::unique_ptr<WebServer>(std::move(server));
}

}  // namespace atys::present::web
