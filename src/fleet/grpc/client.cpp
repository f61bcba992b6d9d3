// SPDX-License-Identifier: Apache-2.0
#include <grpc/support/time.h>
#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>
#include <grpcpp/completion_queue.h>
#include <grpcpp/create_channel.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/security/credentials.h>

#include "fleet/grpc/bytes.h"
#include "fleet/grpc/module.h"
#include "fleet/grpc/status.h"

namespace atys::fleet {

namespace {

constexpr int kKeepaliveMs = 30'000;
constexpr int kFirstReconnectMs = 500;
constexpr int kLastReconnectMs = 10'000;
constexpr size_t kWorthCompressing = 512;

Result<std::shared_ptr<grpc::ChannelCredentials>> credentials_of(const GrpcClientOptions& options) {
  if (!options.use_tls && !options.tls.is_used()) return grpc::InsecureChannelCredentials();
  const TlsTexts texts = TRY(read_tls(options.tls));
  grpc::SslCredentialsOptions ssl;
  ssl.pem_root_certs = texts.authority;
  ssl.pem_private_key = texts.key;
  ssl.pem_cert_chain = texts.certificate;
  return grpc::SslCredentials(ssl);
}

grpc::ChannelArguments arguments_of(const GrpcClientOptions& options) {
  grpc::ChannelArguments arguments;
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, kKeepaliveMs);
  arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, kFirstReconnectMs);
  arguments.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, kFirstReconnectMs);
  arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, kLastReconnectMs);
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  arguments.SetMaxReceiveMessageSize(static_cast<int>(options.most_message_bytes));
  return arguments;
}

class Connection final : public GrpcClient {
 public:
  Connection(GrpcClientOptions options, const std::shared_ptr<grpc::Channel>& channel)
      : options_(std::move(options)), stub_(channel) {}

  Result<std::string> call(std::string_view method, const std::string& request, GrpcPacking packing) override {
    grpc::ClientContext context;
    // Not by the wall clock, which may be set meanwhile.
    context.set_deadline(gpr_time_add(gpr_now(GPR_CLOCK_MONOTONIC),
                                      gpr_time_from_nanos(static_cast<int64_t>(options_.timeout_ns), GPR_TIMESPAN)));
    if (!options_.token.empty()) context.AddMetadata("authorization", "Bearer " + options_.token);
    if (packing == GrpcPacking::Gzip && request.size() >= kWorthCompressing)
      context.set_compression_algorithm(GRPC_COMPRESS_GZIP);
    const grpc::ByteBuffer sent = to_buffer(request);
    grpc::ByteBuffer received;
    if (const grpc::Status status = wait_for(context, method, sent, received); !status.ok())
      return to_error(status, options_.address);
    return to_bytes(received);
  }

 private:
  // With a queue of its own. gRPC's callbacks are run by threads that it keeps for them, which wake up several times a
  // second as long as the process lives: more than all else that an idle agent does.
  grpc::Status wait_for(grpc::ClientContext& context, std::string_view method, const grpc::ByteBuffer& sent,
                        grpc::ByteBuffer& received) {
    grpc::CompletionQueue queue;
    grpc::Status status;
    const auto call = stub_.PrepareUnaryCall(&context, std::string(method), sent, &queue);
    call->StartCall();
    call->Finish(&received, &status, this);
    void* tag = nullptr;
    bool is_ok = false;
    if (!queue.Next(&tag, &is_ok) || !is_ok) return {grpc::StatusCode::UNAVAILABLE, "the call was given up"};
    return status;
  }

  const GrpcClientOptions options_;
  grpc::GenericStub stub_;
};

}  // namespace

Result<std::unique_ptr<GrpcClient>> create_client(const GrpcClientOptions& options) {
  keep_grpc_quiet();
  const auto channel = grpc::CreateCustomChannel(options.address, TRY(credentials_of(options)), arguments_of(options));
  return std::unique_ptr<GrpcClient>(std::make_unique<Connection>(options, channel));
}

}  // namespace atys::fleet
