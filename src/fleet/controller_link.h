// SPDX-License-Identifier: Apache-2.0
// An agent's way to its controller: another machine, another process, or the same one. A controller that reports to a
// controller above it uses the same.
#pragma once

#include <string>

#include "base/result.h"
#include "fleet/wire/control.h"

namespace atys::fleet {

class ControllerLink {
 public:
  virtual ~ControllerLink() = default;

  virtual Result<Orders> report(const AgentReport& report) = 0;
  // One window as OTLP bytes (ExportProfilesServiceRequest). Returns when the controller has it for good; it may be sent
  // again, and is kept once. reason_to_drop() tells which errors are of the way and which of the window.
  virtual Result<> send(const std::string& otlp) = 0;
};

}  // namespace atys::fleet
