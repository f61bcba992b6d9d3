// SPDX-License-Identifier: Apache-2.0
#include "fleet/wire/grpc_link.h"

#include <atomic>
#include <optional>

#include "base/guarded.h"
#include "fleet/wire/export_response.h"
#include "fleet/wire/window_packer.h"

namespace atys::fleet {

namespace {

constexpr uint64_t kAskPlainReceiverAgainNs = 60'000'000'000;
constexpr size_t kEveryServerTakes = size_t{4} << 20;  // unless somebody asks for less than gRPC's usual limit

class GrpcLink final : public ControllerLink {
 public:
  explicit GrpcLink(std::unique_ptr<GrpcClient> client) : client_(std::move(client)) {}

  // A receiver that takes profiles and knows nothing of orders, such as an OpenTelemetry Collector, gives none; nothing is
  // wrong with that. Whoever has given orders before is a controller that cannot do it now.
  Result<Orders> report(const AgentReport& report) override {
    const Result<std::string> answer = client_->call(kReportMethod, encode(report));
    const bool is_plain_receiver = !answer.ok() && answer.error().code == ErrorCode::Unsupported && !has_given_orders_;
    if (is_plain_receiver) return Orders{.report_again_ns = kAskPlainReceiverAgainNs};
    if (!answer.ok()) return answer.error();
    Orders orders = TRY(decode_orders(*answer));
    has_given_orders_ = true;
    takes_packed_ = orders.takes_packed;
    return orders;
  }

  Result<> send(const std::string& otlp) override {
    if (takes_packed_)
      if (std::optional<Result<>> sent = send_packed(otlp)) return std::move(*sent);
    Result<> sent = answer_of(client_->call(kExportMethod, otlp));
    // A server that has no memory or no stream left says the same as one for which a message is too large.
    if (!sent.ok() && sent.error().code == ErrorCode::ResourceExhausted && otlp.size() <= kEveryServerTakes)
      return fail(ErrorCode::Unavailable, sent.error().message, "it is sent again later");
    return sent;
  }

 private:
  static Result<> answer_of(const Result<std::string>& answer) {
    if (!answer.ok()) return answer.error();
    const Result<ExportResponse> decoded = decode_export_response(*answer);
    if (!decoded.ok())  // says nothing of the window
      return fail(ErrorCode::Unavailable, "what answers is no controller: " + decoded.error().message,
                  "is the address the gRPC address of a controller?");
    const ExportResponse& response = *decoded;
    if (response.rejected_profiles > 0)
      return fail(ErrorCode::InvalidInput, "the controller does not take this window: " + response.error_message);
    return {};
  }

  static bool is_for_plain(ErrorCode code) { return code == ErrorCode::Unsupported || code == ErrorCode::ResourceExhausted; }

  // Nothing: it is to be sent as plain OTLP.
  std::optional<Result<>> send_packed(const std::string& otlp) {
    const auto packer = packer_.lock();
    for (int attempt = 0; attempt < 2; ++attempt) {
      Result<WindowPacker::Packed> packed = packer->pack(otlp);
      if (!packed.ok()) return std::nullopt;
      const Result<std::string> answer = client_->call(kPackedMethod, encode_packed(packed->body), GrpcPacking::AsIs);
      if (!answer.ok() && answer.error().code == ErrorCode::NotFound) {
        packer->forget(*packed);  // it was started anew, or had no room: the second attempt needs nothing of it
        continue;
      }
      if (!answer.ok() && answer.error().code == ErrorCode::Unsupported) takes_packed_ = false;
      if (!answer.ok() && is_for_plain(answer.error().code)) return std::nullopt;
      Result<> sent = answer_of(answer);
      if (sent.ok()) packer->arrived(packed.take());
      return sent;
    }
    return std::nullopt;
  }

  std::unique_ptr<GrpcClient> client_;
  std::atomic<bool> has_given_orders_ = false;
  std::atomic<bool> takes_packed_ = false;
  Guarded<WindowPacker> packer_;
};

}  // namespace

Result<std::unique_ptr<ControllerLink>> open_grpc_link(const GrpcClientOptions& options) {
  return std::unique_ptr<ControllerLink>(std::make_unique<GrpcLink>(TRY(GrpcClient::create(options))));
}

}  // namespace atys::fleet
