// SPDX-License-Identifier: Apache-2.0
#include "fleet/wire/grpc_link.h"

#include "fleet/wire/export_response.h"

namespace atys::fleet {

namespace {

class GrpcLink final : public ControllerLink {
 public:
  explicit GrpcLink(std::unique_ptr<GrpcClient> client) : client_(std::move(client)) {}

  Result<Orders> report(const AgentReport& report) override {
    return decode_orders(TRY(client_->call(kReportMethod, encode(report))));
  }

  Result<> send(const std::string& otlp) override {
    const ExportResponse response = TRY(decode_export_response(TRY(client_->call(kExportMethod, otlp))));
    if (response.rejected_profiles > 0)
      return fail(ErrorCode::InvalidInput, "the controller does not take this window: " + response.error_message);
    return {};
  }

 private:
  std::unique_ptr<GrpcClient> client_;
};

}  // namespace

Result<std::unique_ptr<ControllerLink>> open_grpc_link(const GrpcClientOptions& options) {
  return std::unique_ptr<ControllerLink>(std::make_unique<GrpcLink>(TRY(GrpcClient::create(options))));
}

}  // namespace atys::fleet
