// SPDX-License-Identifier: Apache-2.0
#include <grpc/grpc_security_constants.h>
#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/resource_quota.h>
#include <grpcpp/security/server_credentials.h>
#include <grpcpp/server.h>
#include <grpcpp/server_builder.h>

#include <atomic>
#include <chrono>

#include "base/access.h"
#include "base/byte_source.h"
#include "base/gzip.h"
#include "fleet/grpc/bytes.h"
#include "fleet/grpc/module.h"
#include "fleet/grpc/status.h"
#include "fleet/grpc/worker_pool.h"

namespace atys::fleet {

namespace {

constexpr int kMostCallsPerConnection = 8;
constexpr int kShortestPingMs = 5000;
// Of gRPC for the bytes of messages that are not whole yet; it gives up calls where that is not enough.
constexpr size_t kReceiveBytes = size_t{160} << 20;
constexpr auto kEndWait = std::chrono::seconds(2);

// One call: read a message, work in a thread of ours, answer. Deletes itself when gRPC is done with it.
class Call final : public grpc::ServerGenericBidiReactor {
 public:
  Call(const CallHandler& handler, Identity caller, const GrpcServerOptions& options, Admission& door, WorkerPool& workers)
      : handler_(handler), caller_(std::move(caller)), options_(options), door_(door), workers_(workers) {
    StartRead(&request_);
  }

  void OnReadDone(bool ok) override {
    // Also for a message above the limit; then gRPC has a status of its own, which is the one that is sent.
    if (!ok) return Finish({grpc::StatusCode::INVALID_ARGUMENT, "the call has no message"});
    auto ticket = door_.admit(request_.Length());
    if (!ticket.ok()) return Finish(to_status(ticket.error()));
    ticket_ = ticket.take();
    workers_.post([this] { answer(); });
  }
  void OnDone() override { delete this; }

 private:
  void answer() {
    auto done = handle();
    if (!done.ok()) return Finish(to_status(done.error()));
    response_ = to_buffer(*done);
    StartWriteAndFinish(&response_, grpc::WriteOptions(), grpc::Status::OK);
  }

  Result<std::string> handle() {
    std::string bytes = to_bytes(request_);
    request_.Clear();
    // No protobuf message begins so: there is no wire type 7.
    if (is_gzip(as_byte_span(bytes))) bytes = as_text(TRY(gunzip(as_byte_span(bytes), options_.most_message_bytes)));
    return handler_(caller_, bytes);
  }

  const CallHandler& handler_;
  const Identity caller_;
  const GrpcServerOptions& options_;
  Admission& door_;
  WorkerPool& workers_;
  Admission::Ticket ticket_;
  grpc::ByteBuffer request_, response_;
};

class Refusal final : public grpc::ServerGenericBidiReactor {
 public:
  explicit Refusal(const grpc::Status& status) { Finish(status); }
  void OnDone() override { delete this; }
};

class GenericService final : public grpc::CallbackGenericService {
 public:
  GenericService(const GrpcServerOptions& options, CallHandlers handlers, Admission& door)
      : options_(options), handlers_(std::move(handlers)), door_(door), workers_(options.threads) {}

  grpc::ServerGenericBidiReactor* CreateReactor(grpc::GenericCallbackServerContext* context) override {
    const auto handler = handlers_.find(context->method());
    if (handler == handlers_.end())
      return new Refusal({grpc::StatusCode::UNIMPLEMENTED, "there is no method " + context->method()});
    const std::optional<Identity> caller = caller_of(*context);
    if (!caller) {
      ++refused_tokens_;
      return new Refusal({grpc::StatusCode::UNAUTHENTICATED, "the token is missing or wrong"});
    }
    if (const Role needs = role_needed(context->method()); !Access::may(caller->role, needs))
      return new Refusal({grpc::StatusCode::PERMISSION_DENIED,
                          needs == Role::Join ? "this token is not one for joining" : "this token is not one for agents"});
    return new Call(handler->second, *caller, options_, door_, workers_);
  }

  uint64_t refused_tokens() const { return refused_tokens_; }
  const GrpcServerOptions& options() const { return options_; }

 private:
  std::optional<Identity> caller_of(const grpc::GenericCallbackServerContext& context) const {
    const auto found = context.client_metadata().find("authorization");
    const bool has_one = found != context.client_metadata().end();
    return options_.access.identify(has_one ? std::string_view{found->second.data(), found->second.size()} : "",
                                    certificate_name(context));
  }

  // Of a client whose certificate was checked; empty: it has none.
  static std::string certificate_name(const grpc::GenericCallbackServerContext& context) {
    const auto peer = context.auth_context();
    if (peer == nullptr || !peer->IsPeerAuthenticated()) return {};
    const auto names = peer->FindPropertyValues(GRPC_X509_CN_PROPERTY_NAME);
    return names.empty() ? std::string() : std::string(names.front().data(), names.front().size());
  }

  const GrpcServerOptions options_;
  const CallHandlers handlers_;
  Admission& door_;
  std::atomic<uint64_t> refused_tokens_ = 0;
  WorkerPool workers_;
};

Result<std::shared_ptr<grpc::ServerCredentials>> credentials_of(const TlsFiles& files) {
  if (!files.is_used()) return grpc::InsecureServerCredentials();
  const TlsTexts texts = TRY(read_tls(files));
  if (texts.certificate.empty()) return fail(ErrorCode::InvalidInput, "a server needs a certificate of its own for TLS");
  grpc::SslServerCredentialsOptions options(texts.authority.empty()
                                                ? GRPC_SSL_DONT_REQUEST_CLIENT_CERTIFICATE
                                                : GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY);
  options.pem_root_certs = texts.authority;
  options.pem_key_cert_pairs.push_back({texts.key, texts.certificate});
  return grpc::SslServerCredentials(options);
}

void set_limits(grpc::ServerBuilder& builder, const GrpcServerOptions& options) {
  builder.SetMaxReceiveMessageSize(static_cast<int>(options.most_message_bytes));
  builder.SetResourceQuota(grpc::ResourceQuota("atys").Resize(kReceiveBytes));
  builder.AddChannelArgument(GRPC_ARG_MAX_CONCURRENT_STREAMS, kMostCallsPerConnection);
  // Another process is not to share our port, nor we one of another.
  builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
  builder.AddChannelArgument(GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS, kShortestPingMs);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1);
  // gRPC would inflate without a bound; we do it ourselves, and gzip is what the standard asks for.
  builder.AddChannelArgument(GRPC_ARG_ENABLE_PER_MESSAGE_DECOMPRESSION, 0);
  builder.SetCompressionAlgorithmSupportStatus(GRPC_COMPRESS_DEFLATE, false);
}

class Running final : public GrpcServer {
 public:
  Running(const GrpcServerOptions& options, CallHandlers handlers, Admission& door)
      : service_(options, std::move(handlers), door) {}
  ~Running() override {
    if (server_ != nullptr) server_->Shutdown(std::chrono::system_clock::now() + kEndWait);
  }

  Result<> listen() {
    const GrpcServerOptions& options = service_.options();
    grpc::ServerBuilder builder;
    set_limits(builder, options);
    builder.AddListeningPort(options.address, TRY(credentials_of(options.tls)), &port_);
    builder.RegisterCallbackGenericService(&service_);
    server_ = builder.BuildAndStart();
    if (server_ == nullptr || port_ == 0)
      return fail(ErrorCode::Unavailable, "cannot listen for gRPC on " + options.address,
                  "is the address one of this machine, and the port free? port 0 takes any that is free");
    return {};
  }

  int port() const override { return port_; }
  uint64_t refused_tokens() const override { return service_.refused_tokens(); }

 private:
  GenericService service_;  // outlives the server, whose calls use it
  int port_ = 0;
  std::unique_ptr<grpc::Server> server_;
};

}  // namespace

Result<std::unique_ptr<GrpcServer>> start_server(const GrpcServerOptions& options, CallHandlers handlers, Admission& door) {
  keep_grpc_quiet();
  auto server = std::make_unique<Running>(options, std::move(handlers), door);
  TRY(server->listen());
  return std::unique_ptr<GrpcServer>(std::move(server));
}

}  // namespace atys::fleet
