// SPDX-License-Identifier: Apache-2.0
#include "fleet/wire/grpc_server.h"

#include <atomic>
#include <charconv>

#include "base/clock.h"
#include "fleet/wire/grpc_message.h"
#include "net/server.h"

namespace atys::fleet {

namespace {

constexpr int kDeadlineExceeded = 4, kPermissionDenied = 7, kUnauthenticated = 16;

// Agents stay: thousands of connections on which nothing happens for seconds.
net::Limits limits_of(const GrpcServerOptions& options) {
  return {.most_connections = 32768,
          .most_strangers = 1024,
          .most_strangers_per_address = 256,
          .idle_ns = 600 * net::kSecondNs,
          .threads = options.threads,
          .most_waiting = 1024};
}

class Running final : public GrpcServer {
 public:
  Running(const GrpcServerOptions& options, CallHandlers handlers, Admission& door)
      : options_(options), handlers_(std::move(handlers)), door_(door) {}

  Result<> listen();
  int port() const override { return server_->port(); }
  uint64_t refused_tokens() const override { return refused_tokens_; }

 private:
  net::Decision decide(const net::RequestHead& head);
  net::Response answer(const CallHandler& handler, const Identity& caller, const net::Request& request,
                       uint64_t deadline_ns) const;
  std::optional<net::Response> grow(Admission::Ticket& ticket, size_t bytes) const;

  const GrpcServerOptions options_;
  const CallHandlers handlers_;
  Admission& door_;
  std::atomic<uint64_t> refused_tokens_ = 0;
  std::unique_ptr<net::Server> server_;  // ends before what its threads use
};

net::Decision Running::decide(const net::RequestHead& head) {
  if (head.method != "POST" || !head.value("content-type").starts_with("application/grpc"))
    return net::Decision::refuse({.status = 415});
  const auto handler = handlers_.find(head.path);
  if (handler == handlers_.end())
    return net::Decision::refuse(grpc_refusal(fail(ErrorCode::Unsupported, "there is no method " + head.path)));
  const std::optional<Identity> caller = options_.access.identify(head.value("authorization"), head.peer.certificate_name);
  if (!caller) {
    ++refused_tokens_;
    return net::Decision::refuse(grpc_refusal(kUnauthenticated, "the token is missing or wrong"));
  }
  if (const Role needs = role_needed(head.path); !Access::may(caller->role, needs))
    return net::Decision::refuse(grpc_refusal(
        kPermissionDenied, needs == Role::Join ? "this token is not one for joining" : "this token is not one for agents"));
  const std::optional<uint64_t> timeout = grpc_timeout_ns(head.value("grpc-timeout"));
  const uint64_t deadline = timeout ? clock_ns(CLOCK_MONOTONIC) + *timeout : UINT64_MAX;
  const auto ticket = std::make_shared<Admission::Ticket>();  // shared: functions are copied; it is given back with the last
  return {.is_known = true,
          .grow = [this, ticket](size_t bytes) { return grow(*ticket, bytes); },
          .work = [this, ticket, &found = handler->second, caller = *caller,
                   deadline](net::Request& request) { return answer(found, caller, request, deadline); }};
}

std::optional<net::Response> Running::grow(Admission::Ticket& ticket, size_t bytes) const {
  if (bytes > options_.most_message_bytes + kGrpcPrefixBytes)
    return grpc_refusal(fail(ErrorCode::ResourceExhausted, "the message is too large", "send less at once"));
  const Result<> fits = door_.extend(ticket, bytes);
  return fits.ok() ? std::nullopt : std::optional(grpc_refusal(fits.error()));
}

net::Response Running::answer(const CallHandler& handler, const Identity& caller, const net::Request& request,
                              uint64_t deadline_ns) const {
  // It was given up while it waited.
  if (clock_ns(CLOCK_MONOTONIC) > deadline_ns) return grpc_refusal(kDeadlineExceeded, "it waited here for too long");
  const auto message = message_of(request.body, request.head.value("grpc-encoding"), options_.most_message_bytes);
  if (!message.ok()) return grpc_refusal(message.error());
  const auto answer = handler(caller, *message);
  return answer.ok() ? grpc_answer(*answer) : grpc_refusal(answer.error());
}

// "[::1]:4317" and "0.0.0.0:4317" as host and port.
Result<std::pair<std::string, int>> split_address(const std::string& address) {
  const size_t colon = address.rfind(':');
  int port = 0;
  if (colon == std::string::npos) return fail(ErrorCode::InvalidInput, "'" + address + "' is no address", "write HOST:PORT");
  const auto [end, error] = std::from_chars(address.data() + colon + 1, address.data() + address.size(), port);
  if (error != std::errc{} || end != address.data() + address.size() || port < 0 || port > 65535)
    return fail(ErrorCode::InvalidInput, "'" + address + "' has no port", "write HOST:PORT");
  std::string host = address.substr(0, colon);
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  return std::pair(host, port);
}

Result<> Running::listen() {
  const auto [host, port] = TRY(split_address(options_.address));
  const auto busy = [] {
    return grpc_refusal(fail(ErrorCode::Unavailable, "too much is waiting here already", "send it again later"));
  };
  auto started = net::Server::start({.address = host,
                                     .port = port,
                                     .is_http2 = true,
                                     .tls = TRY(read_tls(options_.tls)),
                                     .limits = limits_of(options_),
                                     .busy = busy},
                                    [this](const net::RequestHead& head) { return decide(head); });
  if (!started.ok()) return in_context("gRPC", started.error());
  server_ = started.take();
  return {};
}

}  // namespace

Result<std::unique_ptr<GrpcServer>> GrpcServer::start(const GrpcServerOptions& options, CallHandlers handlers,
                                                      Admission& door) {
  auto server = std::make_unique<Running>(options, std::move(handlers), door);
  TRY(server->listen());
  return std::unique_ptr<GrpcServer>(std::move(server));
}

}  // namespace atys::fleet
