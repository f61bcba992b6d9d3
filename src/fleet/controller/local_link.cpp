// SPDX-License-Identifier: Apache-2.0
#include "fleet/controller/controller.h"

namespace atys::fleet {

namespace {

class LocalLink final : public ControllerLink {
 public:
  explicit LocalLink(Controller& controller) : controller_(controller) {}

  Result<Orders> report(const AgentReport& report) override { return controller_.report(report); }
  Result<> send(const std::string& otlp) override {
    const ExportResponse response = TRY(controller_.receive(otlp, OtlpEncoding::Protobuf));
    if (response.rejected_profiles > 0)
      return fail(ErrorCode::InvalidInput, "the controller does not take this window: " + response.error_message);
    return {};
  }

 private:
  Controller& controller_;
};

}  // namespace

std::unique_ptr<ControllerLink> open_local_link(Controller& controller) { return std::make_unique<LocalLink>(controller); }

}  // namespace atys::fleet
