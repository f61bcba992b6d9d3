// SPDX-License-Identifier: Apache-2.0
#include "fleet/wire/grpc_link.h"

#include <atomic>

#include "fleet/wire/export_response.h"

namespace atys::fleet {

namespace {

constexpr uint64_t kAskPlainReceiverAgainNs = 60'000'000'000;

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
    return orders;
  }

  Result<> send(const std::string& otlp) override {
    const ExportResponse response = TRY(decode_export_response(TRY(client_->call(kExportMethod, otlp))));
    if (response.rejected_profiles > 0)
      return fail(ErrorCode::InvalidInput, "the controller does not take this window: " + response.error_message);
    return {};
  }

 private:
  std::unique_ptr<GrpcClient> client_;
  std::atomic<bool> has_given_orders_ = false;
};

}  // namespace

Result<std::unique_ptr<ControllerLink>> open_grpc_link(const GrpcClientOptions& options) {
  return std::unique_ptr<ControllerLink>(std::make_unique<GrpcLink>(TRY(GrpcClient::create(options))));
}

}  // namespace atys::fleet
