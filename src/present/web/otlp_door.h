// SPDX-License-Identifier: Apache-2.0
// Windows that come by OTLP over HTTP, as protobuf or as JSON: what is held of them while they come is admitted as the
// controller admits everything that it holds.
#pragma once

#include "net/message.h"
#include "present/web/gate.h"
#include "verbs/controller.h"

namespace atys::present::web {

class OtlpDoor {
 public:
  static constexpr const char* kPath = "/v1development/profiles";

  // Both outlive it.
  OtlpDoor(verbs::RunningController& controller, Gate& gate) : controller_(controller), gate_(gate) {}

  net::Decision decide(const net::RequestHead& head);

 private:
  class AdmittedBody;
  net::Response receive(net::Request& request, AdmittedBody& admitted);

  verbs::RunningController& controller_;
  Gate& gate_;
};

}  // namespace atys::present::web
